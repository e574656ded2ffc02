import { Anchor, Code, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { Time } from "@/common/formatting/time";
import { text } from "./text";

/** Topics that change their code because of a request. The request ends when these changes have ended. */
export function Moves({ request }: { request: NetworkRequest }) {
  const { data } = useQuery({
    queryKey: ["/api/v1/requests/", "moves", request.id],
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/moves/", { params: { query: { request: request.id } }, signal })).data,
  });
  if (!data || data.results.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>{text.moves.title}</Title>
      {data.results.map((move) => (
        <Group key={move.id} gap="xs" data-move={move.topic}>
          <Anchor component={Link} to={`/topics/${encodeURIComponent(move.topic)}`}>
            {move.topic}
          </Anchor>
          <Text size="sm">{text.moves.stages[move.stage] ?? move.stage}</Text>
          <Text size="sm" c="dimmed">
            {text.moves.code(move.code)}{" "}
            {move.followed_at ? (
              <>
                {text.moves.followed} <Time at={move.followed_at} />
              </>
            ) : move.told_at ? (
              <>
                {text.moves.notified} <Time at={move.told_at} />
              </>
            ) : null}
          </Text>
          {move.in_place && <Code>{text.moves.inPlace}</Code>}
        </Group>
      ))}
    </Stack>
  );
}
