import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { useLiveRefresh } from "@/live/LiveProvider";

export const POLICY = ["/api/v1/aggregation/"];

export type PolicyNow = Schemas["Policy"];

/** The aggregation policy of the network, with its active alarms. */
export function usePolicy() {
  useLiveRefresh(["request", "requests", "alarm"], POLICY);
  return useQuery({
    queryKey: POLICY,
    refetchInterval: 60_000, // the platform measures the cost of merged entries once a minute
    queryFn: async ({ signal }) => (await api.GET("/api/v1/aggregation/", { signal })).data,
  });
}
