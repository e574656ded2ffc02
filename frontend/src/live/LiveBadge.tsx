import { Badge, Button, Tooltip, VisuallyHidden } from "@mantine/core";
import { useEffect, useState } from "react";
import { age } from "@/common/time";
import { useLiveState } from "./LiveProvider";

/** Whether what is shown is live, and how old it is when the stream is away. */
export function LiveBadge() {
  const { name, heard, why, loggedOut, hurry } = useLiveState();
  const now = useNow(name !== "live");
  if (name === "live") {
    return (
      <Badge variant="light" color="green" size="md" data-live="live">
        live
      </Badge>
    );
  }
  if (loggedOut) {
    return (
      <Button
        component="a"
        size="compact-xs"
        color="red"
        href={`/login/?next=${encodeURIComponent(location.pathname + location.search)}`}
      >
        Logged out: log in again
      </Button>
    );
  }
  const old = heard ? `data ${age(now - heard)} old` : "connecting…";
  return (
    <Tooltip
      label={
        why ? `The live stream is away: ${why}. Click to try again now.` : "The live stream is being opened."
      }
    >
      <Badge
        component="button"
        onClick={hurry}
        variant="light"
        color="orange"
        size="md"
        data-live={name}
        style={{ cursor: "pointer" }}
      >
        {old}
        <VisuallyHidden role="status">{name === "away" ? "The live stream is away." : ""}</VisuallyHidden>
      </Badge>
    </Tooltip>
  );
}

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [ticking]);
  return now;
}
