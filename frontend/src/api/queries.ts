import { QueryClient } from "@tanstack/react-query";
import { ProblemError } from "./problems";

/** A refusal is final; what may pass (no connection, a busy server) is tried again. */
function worthTrying(failures: number, error: Error): boolean {
  const status = error instanceof ProblemError ? error.problem.status : 0;
  return failures < 2 && (status === 0 || status === 429 || status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 5_000, retry: worthTrying, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
