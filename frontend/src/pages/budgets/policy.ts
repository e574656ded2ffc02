import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { useLiveRefresh } from "@/live/LiveProvider";

export type PolicyNow = Schemas["Policy"];

/** The question for the policy; fetched by itself it is always asked anew. */
export const POLICY = queryOptions({
  queryKey: ["/api/v1/aggregation/"],
  staleTime: 0,
  queryFn: async ({ signal }) => (await api.GET("/api/v1/aggregation/", { signal })).data as PolicyNow,
});

/** The network's policy of aggregation, with the alarms that stand. */
export function usePolicy() {
  useLiveRefresh(["request", "requests", "alarm"], POLICY.queryKey);
  return useQuery({ ...POLICY, staleTime: 5_000, refetchInterval: 60_000 }); // costs are measured once a minute
}
