import { Badge, Button, Tooltip, VisuallyHidden } from "@mantine/core";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatAge } from "@/common/formatting/time";
import { useLiveState } from "./LiveProvider";

/** Whether what is shown is live, and how old it is when the stream is away. */
export function LiveBadge() {
  const { name, heard, why, loggedOut, hurry } = useLiveState();
  const queries = useQueryClient();
  const now = useNow(name !== "live");
  const [hadTrouble, setHadTrouble] = useState(false);
  useEffect(() => {
    if (name !== "connecting") setHadTrouble(name === "away");
  }, [name]);
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
  // Where the stream never was there, what is shown is as old as the oldest answer in it.
  const since = heard || (name === "away" || hadTrouble ? oldest(queries) : 0);
  const old = since ? `data ${formatAge(now - since)} old` : "connecting…";
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

/** When the oldest of the answers that are in use was read, ms since 1970; 0: there is none. */
function oldest(queries: QueryClient): number {
  const times = queries
    .getQueryCache()
    .findAll({ type: "active" })
    .map(({ state }) => state.dataUpdatedAt)
    .filter((at) => at > 0);
  return times.length > 0 ? Math.min(...times) : 0;
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
