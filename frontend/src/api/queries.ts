import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problems";

/** A refusal is final; what may pass (no connection, a busy server) is tried again. */
function worthTrying(failures: number, error: Error): boolean {
  const status = error instanceof ProblemError ? error.problem.status : 0;
  return failures < 2 && (status === 0 || status === 429 || status >= 500);
}

/** The key of the query about who is logged in. */
export const ME = ["me"] as const;

/** Somebody may do less than the page thought: its controls are looked at again. */
function lookAgain(error: Error): void {
  if (error instanceof ProblemError && error.problem.status === 403)
    queryClient.invalidateQueries({ queryKey: ME });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => queryKey[0] !== ME[0] && lookAgain(error), // or it would ask for ever
  }),
  mutationCache: new MutationCache({ onError: lookAgain }),
  defaultOptions: {
    queries: { staleTime: 5_000, retry: worthTrying, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
