import { Anchor, Group, Loader, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { MergingNote } from "./MergingNote";

const FINAL = ["active", "failed", "withdrawn"];
const EVERY = 2_000; // ms, while the live stream is disconnected

/** Current state of a request, updated until the request has ended. */
export function useRequest(request: NetworkRequest | null): NetworkRequest | null {
  const key = ["/api/v1/requests/", "one", request?.id];
  const found = useQuery<NetworkRequest>({
    queryKey: key,
    enabled: request !== null,
    initialData: request ?? undefined,
    initialDataUpdatedAt: 0,
    refetchInterval: (query) => (query.state.data && FINAL.includes(query.state.data.state) ? false : EVERY),
    queryFn: async ({ signal }) => {
      const path = { id: String(request?.id) };
      return (await api.GET("/api/v1/requests/{id}/", { params: { path }, signal })).data as NetworkRequest;
    },
  });
  useLiveRefresh(["request", "requests", "reach"], key);
  return request && (found.data ?? request);
}

/** Progress of a request, announced to screen readers. A failed request shows its error and remedy. */
export function RequestProgress({ request }: { request: NetworkRequest }) {
  const ended = FINAL.includes(request.state);
  const failed = request.state === "failed";
  return (
    <Stack gap="xs" data-request={request.state}>
      <Group gap="xs" wrap="nowrap" role="status">
        {failed ? (
          <IconCircleX size={20} color="var(--mantine-color-error)" aria-hidden />
        ) : ended ? (
          <IconCircleCheck size={20} color="var(--mantine-color-green-7)" aria-hidden />
        ) : (
          <Loader size="xs" aria-hidden />
        )}
        <Text>
          <Anchor underline="always" component={Link} to={`/requests?row=${request.id}`}>
            {text.request.link(request.id)}
          </Anchor>{" "}
          {failed ? text.request.failedState : (text.request.states[request.state] ?? request.state)}
        </Text>
      </Group>
      {!failed && <MergingNote merging={request.merging} />}
      {failed && <ProblemAlert problem={{ title: text.request.failed, ...request.problem, status: 0 }} />}
      {failed && <Text size="sm">{request.problem?.remedy}</Text>}
    </Stack>
  );
}
