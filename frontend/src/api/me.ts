import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { ME } from "./queries";

/** Who is logged in. */
export function useMe() {
  return useQuery({
    queryKey: ME,
    staleTime: 10_000,
    refetchInterval: 30_000, // a role that was taken away takes its controls with it
    queryFn: async () => (await api.GET("/api/v1/me/")).data,
  });
}

/** Whether the caller may use `method` on `resource`; false until that is known, so that no control would fail. */
export function useMay(resource: string, method: "GET" | "POST" | "PATCH" | "DELETE"): boolean {
  const { data: me } = useMe();
  return me?.may.find((one) => one.resource === resource)?.methods.includes(method) ?? false;
}
