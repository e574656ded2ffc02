import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { useLiveRefresh } from "@/live/LiveProvider";
import type { Tab } from "./kinds";

export type Activity = Schemas["Activity"];

const MOST = 100; // ids of one question

/** What the rows of a page did, by their ids; read anew as hosts report. */
export function useActivity(tab: Tab, ids: readonly number[]): Map<number, Activity> {
  const asked = ids.slice(0, MOST).join(",");
  const found = useQuery({
    queryKey: ["traffic/activity", tab, asked],
    enabled: asked !== "",
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const query = { [tab]: asked };
      const { data } = await api.GET("/api/v1/traffic/activity/", { params: { query }, signal });
      return new Map((data?.results ?? []).map((row) => [row.id, row]));
    },
  });
  useLiveRefresh(["traffic"], ["traffic/activity", tab]);
  return found.data ?? EMPTY;
}

const EMPTY: Map<number, Activity> = new Map();
