// Requests that change the network: send, wait for the end, notify the user.

import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "./client";
import { asProblem, ProblemError } from "./problems";
import { text } from "./text";

export type NetworkRequest = Schemas["Request"];

const FINAL = ["active", "failed", "withdrawn"];
const PATIENCE = 30; // s, for one call

/** Wait until a request has ended. Throws a `ProblemError` if the request failed. */
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
    throw new ProblemError(asProblem({ title: text.requestFailed, ...now.problem, status: 0 }));
  return now;
}

/**
 * Mutation whose response is a request. It ends when the switches have confirmed the request.
 *
 * `what` is the notification at the end. `refresh` lists the keys of the queries to read again.
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
