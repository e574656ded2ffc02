import { Anchor, Code, List, Loader, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import type { NetSwitch } from "../model/network";

const KINDS = {
  exact: "Everything that meets it is wanted beyond each of its ports.",
  aggregated:
    "It is merged: it also stands for events that nobody asked for, to keep the switch within its budget.",
  unplanned: "The plan has no such entry any more; it goes with the next change.",
} as const;

/** Where an entry comes from: the subscriptions that it serves. */
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
    <section aria-label="Origin of the entry" data-origin>
      <Title order={3}>
        Where <Code fz="sm">{entry.dz || entry.dst}</Code> comes from
      </Title>
      {isPending && <Loader role="status" size="xs" aria-label="Loading" />}
      <ProblemAlert problem={error} retry={() => void refetch()} />
      {data && (
        <>
          <Text size="sm">{KINDS[data.kind]}</Text>
          <List size="sm" mt={4}>
            {data.subscriptions.map((one) => (
              <List.Item key={one.id}>
                <Anchor
                  component={Link}
                  size="sm"
                  to={`/participants?q=${encodeURIComponent(one.subscriber)}`}
                >
                  {one.subscriber}
                </Anchor>{" "}
                at {one.host}: <Code>{one.filter ?? "by dz"}</Code>
              </List.Item>
            ))}
          </List>
          {more > 0 && <Text size="sm">and {more.toLocaleString()} more subscriptions</Text>}
          <Text size="xs" c="dimmed">
            {entry.dst}, priority {entry.priority}
          </Text>
        </>
      )}
    </section>
  );
}
