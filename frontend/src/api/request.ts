// Requests that change the network: sent, followed to their end, and told.

import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "./client";
import { asProblem, ProblemError } from "./problems";

export type NetworkRequest = Schemas["Request"];

const FINAL = ["active", "failed", "withdrawn"];
const PATIENCE = 30; // s, of one question

/** Waits for a request's end. Throws a `ProblemError` when it failed. */
export async function waitForEnd(request: NetworkRequest): Promise<NetworkRequest> {
  let now = request;
  while (!FINAL.includes(now.state)) {
    const { data } = await api.GET("/api/v1/requests/{id}/", {
      params: { path: { id: String(now.id) } },
      headers: { Prefer: `wait=${PATIENCE}` },
    });
    if (data) now = data;
  }
  if (now.state === "failed")
    throw new ProblemError(asProblem({ title: "The request failed", ...now.problem, status: 0 }));
  return now;
}

/**
 * A write whose answer is a request, done when the switches have confirmed it. `what` is told when it is; `refresh` are
 * the queries to read anew then.
 */
export function useNetworkRequest<Input>(
  send: (input: Input) => Promise<NetworkRequest | undefined>,
  { what, refresh }: { what: string; refresh: readonly (readonly unknown[])[] },
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => {
      const request = await send(input);
      return request ? waitForEnd(request) : undefined;
    },
    onSuccess: () => notifications.show({ message: what, color: "green" }),
    onSettled: () => {
      for (const queryKey of refresh) queries.invalidateQueries({ queryKey });
    },
  });
}
