import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problems";

/** Whether to repeat a query: after a lost connection or a busy server, but not after a refusal. */
function worthTrying(failures: number, error: Error): boolean {
  const status = error instanceof ProblemError ? error.problem.status : 0;
  return failures < 2 && (status === 0 || status === 429 || status >= 500);
}

/** Key of the query for the current user. */
export const ME = ["me"] as const;

/** Read the permissions again after a refused call. They may have changed since the page was loaded. */
function refreshPermissions(error: Error): void {
  if (error instanceof ProblemError && error.problem.status === 403)
    queryClient.invalidateQueries({ queryKey: ME });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => queryKey[0] !== ME[0] && refreshPermissions(error), // a refused query for the user must not repeat itself
  }),
  mutationCache: new MutationCache({ onError: refreshPermissions }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: worthTrying, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
