import { Badge, Button, Tooltip, VisuallyHidden } from "@mantine/core";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatAge } from "@/common/formatting/time";
import { useLiveState } from "./LiveProvider";
import { text } from "./text";

/** Badge of the live stream: live, connecting, or the age of the data while the stream is disconnected. */
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
        {text.live}
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
        {text.logIn}
      </Button>
    );
  }
  // If the stream was never connected, the age is that of the oldest response in use.
  const since = heard || (name === "away" || hadTrouble ? oldest(queries) : 0);
  const old = since ? text.age(formatAge(now - since)) : text.connecting;
  return (
    <Tooltip label={why ? text.reconnect(why) : text.opening}>
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
        <VisuallyHidden role="status">{name === "away" ? text.disconnected : ""}</VisuallyHidden>
      </Badge>
    </Tooltip>
  );
}

/** Time of the oldest response in use, in ms since 1970; 0 without a response. */
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
