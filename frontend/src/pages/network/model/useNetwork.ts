// The network, read once and updated by the live stream at most once per second.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "@/api/client";
import { useLiveEvents } from "@/live/LiveProvider";
import {
  applyEvents,
  describeChanges,
  LIVE_KINDS,
  type Load,
  type Network,
  networkOf,
  withTotals,
} from "./network";

const KEY = ["network"] as const;
const SHAPING = /switch|link|host|budget/;
const KEPT = 200; // samples of a link's load

/** A link's load at a time in ms since 1970. */
export interface LoadSample extends Load {
  at: number;
}

/** Loads of each link since the page was opened, the newest last. */
export type LoadHistory = ReadonlyMap<number, readonly LoadSample[]>;

/** The network and the history of its loads. Calls `onNews` with sentences about changes. */
export function useNetwork(onNews: (sentences: string[]) => void) {
  const queries = useQueryClient();
  const watched = useRef(new Map<number, LoadSample[]>());
  const query = useQuery({
    queryKey: KEY,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/v1/topology/", { signal });
      return withTotals(
        networkOf(data ?? { switches: [], links: [], hosts: [] }),
        queries.getQueryData<Network>(KEY),
      );
    },
  });
  useLiveEvents(LIVE_KINDS, (events) => {
    const before = queries.getQueryData<Network>(KEY);
    if (!before) return;
    const { network: now, strange } = applyEvents(before, events);
    recordLoads(watched.current, before, now);
    queries.setQueryData(KEY, now);
    const news = describeChanges(before, now);
    if (news.length > 0) onNews(news);
    if (strange) void queries.invalidateQueries({ queryKey: KEY });
  });
  useLiveEvents(["request", "requests", "layout"], (events) => {
    const shaping = events.some(
      ({ kind, payload }) =>
        kind !== "request" || (payload.state === "active" && SHAPING.test(String(payload.kind))),
    );
    if (shaping) void queries.invalidateQueries({ queryKey: KEY });
  });
  return { ...query, watched: watched.current as LoadHistory };
}

function recordLoads(watched: Map<number, LoadSample[]>, before: Network, now: Network): void {
  for (const [id, { load, totals }] of now.links) {
    if (!load || !totals || totals === before.links.get(id)?.totals) continue;
    const samples = watched.get(id) ?? [];
    if (samples.push({ ...load, at: totals.at }) > KEPT) samples.shift();
    watched.set(id, samples);
  }
}
