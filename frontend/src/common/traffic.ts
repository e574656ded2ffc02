import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useLiveEvents } from "@/live/LiveProvider";

const EVERY = 4_000; // ms: hosts report every second, and a page of a long list is not for nothing

/** Reads the queries under `queryKey` anew as hosts report traffic, every few seconds at most. */
export function useTrafficRefresh(queryKey: readonly unknown[]): void {
  const queries = useQueryClient();
  const last = useRef(0);
  useLiveEvents(["traffic"], () => {
    if (Date.now() - last.current < EVERY) return;
    last.current = Date.now();
    queries.invalidateQueries({ queryKey });
  });
}
