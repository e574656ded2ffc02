// Queries for aggregation runs.

import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";

export type AggregationRun = Schemas["Run"];
export type AggregationResults = Schemas["Results"];

export const UNDER_WAY = ["queued", "running"];

/** The last run that changed tables; its results contain their cost. Null if there was none. */
export function useLastRun() {
  return useQuery({
    queryKey: ["/api/v1/aggregation/runs/", "last"],
    queryFn: async ({ signal }) => {
      const query = { state: "succeeded" as const, ordering: "-id" as const, limit: 1 };
      const { data } = await api.GET("/api/v1/aggregation/runs/", { params: { query }, signal });
      return data?.results[0] ?? null;
    },
  });
}

/** One run, read repeatedly until it ends. */
export function useRun(id: string) {
  return useQuery<AggregationRun | undefined>({
    queryKey: ["/api/v1/aggregation/runs/", "one", id],
    enabled: id !== "",
    refetchInterval: (query) =>
      query.state.data && UNDER_WAY.includes(query.state.data.state) ? 1_500 : false,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/aggregation/runs/{id}/", { params: { path: { id } }, signal })).data,
  });
}
