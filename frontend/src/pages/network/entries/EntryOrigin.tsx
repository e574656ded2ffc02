import { Anchor, Code, List, Loader, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import type { NetSwitch } from "../model/network";
import { text } from "../text";

const { origin: texts } = text;

/** Kind of an entry, and its subscriptions. */
export function EntryOrigin({ row, entry }: { row: NetSwitch; entry: Schemas["Entry"] }) {
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["origin", row.id, entry.id],
    queryFn: async ({ signal }) =>
      (
        await api.GET("/api/v1/tables/{id}/entries/{entry}/origin/", {
          params: { path: { id: String(row.id), entry: String(entry.id) } },
          signal,
        })
      ).data,
  });
  const more = data ? data.subscriptions_count - data.subscriptions.length : 0;
  return (
    <section aria-label={texts.region} data-origin>
      <Title order={3}>{texts.heading(<Code fz="sm">{entry.dz || entry.dst}</Code>)}</Title>
      {isPending && <Loader role="status" size="xs" aria-label={text.loading} />}
      <ProblemAlert problem={error} retry={() => void refetch()} />
      {data && (
        <>
          <Text size="sm">{texts.kinds[data.kind]}</Text>
          <List size="sm" mt={4}>
            {data.subscriptions.map((one) => (
              <List.Item key={one.id}>
                {texts.subscription(
                  <Anchor
                    component={Link}
                    size="sm"
                    to={`/participants?q=${encodeURIComponent(one.subscriber)}`}
                  >
                    {one.subscriber}
                  </Anchor>,
                  one.host,
                  <Code>{one.filter ?? text.byDz}</Code>,
                )}
              </List.Item>
            ))}
          </List>
          {more > 0 && <Text size="sm">{texts.more(more)}</Text>}
          <Text size="xs" c="dimmed">
            {texts.address(entry.dst, entry.priority)}
          </Text>
        </>
      )}
    </section>
  );
}
