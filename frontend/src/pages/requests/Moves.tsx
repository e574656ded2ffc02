import { Anchor, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { Time } from "@/common/formatting/time";

const STAGES: Record<string, string> = {
  making: "switches install the new entries",
  telling: "publishers change over to the new encoding",
  settling: "events that are under way arrive",
  breaking: "switches let the old entries go",
  done: "over",
};

/** The topics that go to another encoding because of a request, which ends with them. */
export function Moves({ request }: { request: NetworkRequest }) {
  const { data } = useQuery({
    queryKey: ["/api/v1/requests/", "moves", request.id],
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/moves/", { params: { query: { request: request.id } }, signal })).data,
  });
  if (!data || data.results.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>Topics that it moves</Title>
      {data.results.map((move) => (
        <Group key={move.id} gap="xs" data-move={move.topic}>
          <Anchor component={Link} to={`/topics/${encodeURIComponent(move.topic)}`}>
            {move.topic}
          </Anchor>
          <Text size="sm">{STAGES[move.stage] ?? move.stage}</Text>
          <Text size="sm" c="dimmed">
            to code {move.code}
            {move.followed_at ? (
              <>
                , publishers changed over <Time at={move.followed_at} />
              </>
            ) : move.told_at ? (
              <>
                , publishers told <Time at={move.told_at} />
              </>
            ) : null}
          </Text>
          {move.in_place && <Code>in place: events may have been lost or doubled</Code>}
        </Group>
      ))}
    </Stack>
  );
}
