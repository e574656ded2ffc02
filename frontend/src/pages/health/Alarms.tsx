import { Alert, Badge, Card, Group, Loader, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { type Meaning, meaningOfAlarm, meaningOfText } from "./alarms";

type Alarm = Schemas["Alarm"];
type Standing = Schemas["StandingAlarm"];
const ALARMS = "/api/v1/alarms/";
const column = createColumnHelper<Alarm>();

const columns = [
  column.accessor("at", {
    header: "When",
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("text", {
    header: "Alarm",
    cell: (cell) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {cell.getValue()}
      </Text>
    ),
  }),
  column.display({
    id: "meaning",
    header: "What to do",
    meta: { priority: "low" },
    cell: ({ row }) => <Remedy meaning={meaningOfText(row.original.text)} />,
  }),
];

/** Alarms that stand now, and those that were told in the last day. */
export function Alarms() {
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const search = useDebouncedCallback(setQ, 250);
  const told = useList<Alarm>(ALARMS, { q }, { ordering, limit: 50 });
  const standing = useQuery({
    queryKey: [ALARMS, "standing"],
    refetchInterval: 10_000,
    queryFn: async () => (await api.GET("/api/v1/alarms/standing/")).data,
  });
  useLiveRefresh(["alarm", "audit"], [ALARMS]);
  return (
    <Stack>
      <Title order={2}>Standing now</Title>
      <ProblemAlert problem={standing.error} retry={() => standing.refetch()} />
      {standing.isPending && <Loader role="status" size="sm" aria-label="Loading" />}
      {standing.data?.unknown && (
        <Alert color="orange" variant="light" title="The controller's alarms are not known">
          {standing.data.unknown}
        </Alert>
      )}
      {standing.data?.alarms.length === 0 && !standing.data.unknown && (
        <Text c="dimmed">No alarm stands.</Text>
      )}
      <Stack gap="sm" aria-live="polite">
        {standing.data?.alarms.map((one) => (
          <StandingAlarm key={`${one.source}${one.alarm}${one.subject}${one.detail}`} alarm={one} />
        ))}
      </Stack>
      <Group justify="space-between" mt="md">
        <Title order={2}>Told in the last day</Title>
        <TextInput
          aria-label="Search alarms"
          placeholder="Search"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Group>
      <DataTable
        label="Alarms"
        list={told}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        height="min(50vh, 520px)"
        empty={<Empty cause={q ? "No alarm has these words." : "No alarm was told in the last 24 hours."} />}
      />
    </Stack>
  );
}

function StandingAlarm({ alarm }: { alarm: Standing }) {
  const meaning = meaningOfAlarm(alarm.alarm);
  return (
    <Card withBorder padding="sm" data-alarm={alarm.alarm}>
      <Group justify="space-between">
        <Title order={3}>{meaning?.title ?? alarm.alarm.replaceAll("_", " ")}</Title>
        <Badge color="orange" variant="light">
          {alarm.source}
        </Badge>
      </Group>
      <Text size="sm">
        {alarm.subject}
        {alarm.subject && alarm.detail ? ": " : ""}
        {alarm.detail}
      </Text>
      {meaning && <Text size="sm">{meaning.meaning}</Text>}
      <Remedy meaning={meaning} />
      <Text size="xs" c="dimmed">
        {alarm.since && (
          <>
            since <Time at={alarm.since} />
          </>
        )}
        {alarm.count !== null && alarm.count > 1 && `, seen ${alarm.count.toLocaleString()} times`}
      </Text>
    </Card>
  );
}

function Remedy({ meaning }: { meaning: Meaning | null }) {
  if (!meaning) return null;
  return (
    <Text size="sm">
      {meaning.remedy} <DocsLink to={meaning.docs} />
    </Text>
  );
}
