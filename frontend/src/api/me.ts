import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import { ME } from "./queries";

/** Query for the current user and the permissions. */
export function useMe() {
  return useQuery({
    queryKey: ME,
    staleTime: 10_000,
    refetchInterval: 30_000, // controls disappear soon after a role is removed
    queryFn: async () => (await api.GET("/api/v1/me/")).data,
  });
}

/** Whether the user may use `method` on `resource`. False until the permissions are known, so no visible control fails. */
export function useMay(resource: string, method: "GET" | "POST" | "PATCH" | "DELETE"): boolean {
  const { data: me } = useMe();
  return me?.may.find((one) => one.resource === resource)?.methods.includes(method) ?? false;
}
