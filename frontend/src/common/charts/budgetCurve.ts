import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";

/** Query for the budget curve of a switch by a method. The server computes it from past events within a minute. */
export function useBudgetCurve(id: number, method: Schemas["Curve"]["method"] | undefined) {
  return useQuery({
    queryKey: ["budget-curve", id, method],
    enabled: method !== undefined,
    staleTime: 60_000,
    refetchOnWindowFocus: false,
    retry: false,
    queryFn: async ({ signal }) => {
      const params = { path: { id: String(id) }, query: { method } };
      return (await api.GET("/api/v1/switches/{id}/budget-curve/", { params, signal })).data;
    },
  });
}
