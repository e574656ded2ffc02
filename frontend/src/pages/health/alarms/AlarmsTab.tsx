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
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { type Meaning, meaningOfAlarm, meaningOfText } from "./meanings";
import { text } from "./text";

type Alarm = Schemas["Alarm"];
type Standing = Schemas["StandingAlarm"];
const ALARMS = "/api/v1/alarms/";
const column = createColumnHelper<Alarm>();

const columns = [
  column.accessor("at", {
    header: text.tab.columns.time,
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("text", {
    header: text.tab.columns.alarm,
    cell: (cell) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {cell.getValue()}
      </Text>
    ),
  }),
  column.display({
    id: "meaning",
    header: text.tab.columns.remedy,
    meta: { priority: "low" },
    cell: ({ row }) => <Remedy meaning={meaningOfText(row.original.text)} />,
  }),
];

/** Tab with the active alarms and those of the last 24 hours. */
export function AlarmsTab() {
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const search = useDebouncedCallback(setQ, 250);
  const past = useList<Alarm>(ALARMS, { q }, { ordering, limit: 50 });
  const active = useQuery({
    queryKey: [ALARMS, "standing"],
    refetchInterval: 10_000,
    queryFn: async () => (await api.GET("/api/v1/alarms/standing/")).data,
  });
  useLiveRefresh(["alarm", "audit"], [ALARMS]);
  return (
    <Stack>
      <Title order={2}>{text.tab.active}</Title>
      <ProblemAlert problem={active.error} retry={() => active.refetch()} />
      {active.isPending && <Loader role="status" size="sm" aria-label={common.loading} />}
      {active.data?.unknown && (
        <Alert color="orange" variant="light" title={text.tab.unknown}>
          {active.data.unknown}
        </Alert>
      )}
      {active.data?.alarms.length === 0 && !active.data.unknown && <Text c="dimmed">{text.tab.none}</Text>}
      <Stack gap="sm" aria-live="polite">
        {active.data?.alarms.map((one) => (
          <ActiveAlarm key={`${one.source}${one.alarm}${one.subject}${one.detail}`} alarm={one} />
        ))}
      </Stack>
      <Group justify="space-between" mt="md">
        <Title order={2}>{text.tab.past}</Title>
        <TextInput
          aria-label={text.tab.search}
          placeholder={text.tab.searchPlaceholder}
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
      </Group>
      <DataTable
        label={text.tab.label}
        list={past}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        height="min(50vh, 520px)"
        empty={<Empty cause={q ? text.tab.noMatch : text.tab.noPast} />}
      />
    </Stack>
  );
}

function ActiveAlarm({ alarm }: { alarm: Standing }) {
  const meaning = meaningOfAlarm(alarm.alarm);
  return (
    <Card withBorder padding="sm" data-alarm={alarm.alarm}>
      <Group justify="space-between">
        <Title order={3}>{meaning?.title ?? alarm.alarm.replaceAll("_", " ")}</Title>
        <Badge color="orange" variant="light">
          {alarm.source}
        </Badge>
      </Group>
      <Text size="sm">{text.tab.details(alarm.subject, alarm.detail)}</Text>
      {meaning && <Text size="sm">{meaning.meaning}</Text>}
      <Remedy meaning={meaning} />
      <Text size="xs" c="dimmed">
        {alarm.since && (
          <>
            {text.tab.since} <Time at={alarm.since} />
          </>
        )}{" "}
        {alarm.count !== null && alarm.count > 1 && text.tab.seen(alarm.count)}
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
