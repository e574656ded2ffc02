import { Anchor, Code, List, Loader, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { Time } from "@/common/formatting/time";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { type Filters, readPage } from "@/common/tables/list";
import { useTrafficRefresh } from "@/common/traffic";
import { useLiveRefresh } from "@/live/LiveProvider";
import { text } from "../text";

const { host: texts } = text;
const MOST = 100; // publishers or subscribers that are read
const SHOWN = 5; // filters of each

const ANNOUNCEMENTS = { publishers: "advertisements", subscribers: "subscriptions" } as const;

type Side = keyof typeof ANNOUNCEMENTS;

interface Participant {
  id: number;
  name: string;
  events: number | null;
  lastSeen: string | null;
  filters: { id: number; topic: string; filter: string | null }[];
  /** Number of all active filters. */
  count: number;
}

/** Publishers or subscribers at a host with their events, the time when each was last seen, and their filters. */
export function HostPresence({ host, side }: { host: string; side: Side }) {
  const own = texts[side];
  const key = ["who-is-there", side, host];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readParticipants(side, host, signal),
  });
  useTrafficRefresh(key);
  useLiveRefresh(["request", "requests"], key);
  return (
    <section aria-label={own.title}>
      <Title order={3}>{own.title}</Title>
      <ProblemAlert problem={error} retry={() => void refetch()} />
      {isPending && <Loader role="status" size="xs" aria-label={text.loading} />}
      {data?.people.length === 0 && (
        <Text size="sm" c="dimmed">
          {own.none}
        </Text>
      )}
      {data && data.people.length > 0 && (
        <Table aria-label={own.title} fz="sm" horizontalSpacing={6} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.namesAndFilters}</Table.Th>
              <Table.Th ta="right">{own.events}</Table.Th>
              <Table.Th ta="right" style={{ whiteSpace: "nowrap" }}>
                {texts.lastSeen}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.people.map((one) => (
              <Table.Tr key={one.id} data-who={one.name} style={{ verticalAlign: "top" }}>
                <Table.Td>
                  <Anchor
                    component={Link}
                    size="sm"
                    to={`/participants?tab=${ANNOUNCEMENTS[side]}&who=${encodeURIComponent(one.name)}`}
                  >
                    {one.name}
                  </Anchor>
                  <FilterList person={one} none={own.noFilters} />
                </Table.Td>
                <Table.Td ta="right">{one.events?.toLocaleString() ?? "–"}</Table.Td>
                <Table.Td ta="right">
                  <Time at={one.lastSeen} empty={texts.never} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {data?.more && (
        <Anchor component={Link} to={`/participants?tab=${side}&host=${encodeURIComponent(host)}`} size="sm">
          {own.showAll}
        </Anchor>
      )}
    </section>
  );
}

function FilterList({ person, none }: { person: Participant; none: string }) {
  const shown = person.filters.slice(0, SHOWN);
  const more = person.count - shown.length;
  if (person.count === 0)
    return (
      <Text size="xs" c="dimmed">
        {none}
      </Text>
    );
  return (
    <List size="xs" listStyleType="none" c="dimmed">
      {shown.map(({ id, topic, filter }) => (
        <List.Item key={id}>
          {texts.filter(
            topic,
            <Code fz="xs">{filter === null ? text.byDz : filter.trim() || text.everyEvent}</Code>,
          )}
        </List.Item>
      ))}
      {more > 0 && <List.Item>{texts.more(more)}</List.Item>}
    </List>
  );
}

/** Read the publishers or subscribers at a host with their active filters. `more`: whether others were not read. */
async function readParticipants(side: Side, host: string, signal: AbortSignal) {
  const query: Filters = { host, limit: MOST };
  const live = { ...query, state: "active" };
  if (side === "publishers") {
    const [own, filters] = await Promise.all([
      readPage<Schemas["Publisher"]>("/api/v1/publishers/", query, signal),
      readPage<Schemas["Advertisement"]>("/api/v1/advertisements/", live, signal),
    ]);
    const found = own.results.map((one) => ({
      ...{ id: one.id, name: one.name, events: one.published, lastSeen: one.last_seen_at },
      ...{ count: one.advertisements, filters: filters.results.filter((row) => row.publisher === one.name) },
    }));
    return { people: found, more: own.next !== null };
  }
  const [own, filters] = await Promise.all([
    readPage<Schemas["Subscriber"]>("/api/v1/subscribers/", query, signal),
    readPage<Schemas["Subscription"]>("/api/v1/subscriptions/", live, signal),
  ]);
  const found = own.results.map((one) => ({
    ...{ id: one.id, name: one.name, events: one.delivered, lastSeen: one.last_seen_at },
    ...{ count: one.subscriptions, filters: filters.results.filter((row) => row.subscriber === one.name) },
  }));
  return { people: found, more: own.next !== null };
}
