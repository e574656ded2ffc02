import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useLiveEvents } from "@/live/LiveProvider";

const EVERY = 4_000; // ms; hosts report every second, and a query for a long list has a cost

/** Repeat the queries under `queryKey` after reports of traffic, at most every 4 s. */
export function useTrafficRefresh(queryKey: readonly unknown[]): void {
  const queries = useQueryClient();
  const last = useRef(0);
  useLiveEvents(["traffic"], () => {
    if (Date.now() - last.current < EVERY) return;
    last.current = Date.now();
    queries.invalidateQueries({ queryKey });
  });
}
