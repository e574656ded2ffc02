import { Anchor, Badge, Group, List, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { createColumnHelper } from "@tanstack/react-table";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { text as page } from "./text";

const text = page.switches;

type Switch = Schemas["Switch"];
const SWITCHES = "/api/v1/switches/";
const column = createColumnHelper<Switch>();

const columns = [
  column.accessor("name", {
    header: text.columns.switch,
    meta: { sort: "name" },
    cell: ({ row: { original: one } }) => (
      <>
        <Anchor component={Link} to={`/network?switch=${encodeURIComponent(one.name)}`}>
          {one.name}
        </Anchor>
        {one.label && (
          <Text size="xs" c="dimmed">
            {one.label}
          </Text>
        )}
      </>
    ),
  }),
  column.accessor("connected", {
    header: text.columns.state,
    cell: ({ row }) => <State one={row.original} />,
  }),
  column.display({
    id: "table",
    header: text.columns.entries,
    meta: { align: "right", help: "entry" },
    cell: ({ row: { original: one } }) => room(one),
  }),
  column.accessor("problems", {
    header: text.columns.problems,
    cell: (cell) => <Words words={cell.getValue()} />,
  }),
  column.accessor("lacks", {
    header: text.columns.missing,
    meta: { priority: "low" },
    cell: (cell) => cell.getValue().join(", ") || "–",
  }),
  column.accessor("features", {
    header: text.columns.features,
    meta: { priority: "low" },
    cell: (cell) => features(cell.getValue()),
  }),
  column.accessor("dpid", { header: text.columns.dpid, meta: { priority: "low" } }),
];

/** Tab with all switches: connection, entries, problems and features. */
export function Switches() {
  const [q, setQ] = useAddress("q");
  const [connected, setConnected] = useAddress("connected");
  const [ordering, setOrdering] = useAddress("ordering", "name");
  const search = useDebouncedCallback(setQ, 250);
  const list = useList<Switch>(SWITCHES, { q, connected }, { ordering });
  useLiveRefresh(["switch", "tables"], [SWITCHES]);
  return (
    <Stack>
      <Group gap="xs">
        <TextInput
          aria-label={text.search}
          placeholder={page.search}
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Select
          aria-label={text.connection}
          placeholder={page.all}
          clearable
          data={[
            { value: "true", label: text.connected },
            { value: "false", label: text.disconnected },
          ]}
          value={connected || null}
          onChange={setConnected}
        />
      </Group>
      <DataTable
        label={text.label}
        list={list}
        columns={columns}
        rowId={(row) => row.name}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause={q || connected ? text.noMatch : text.empty}>
            {!q && !connected && (
              <Anchor component={Link} to="/welcome">
                {text.setUp}
              </Anchor>
            )}
          </Empty>
        }
      />
    </Stack>
  );
}

function State({ one }: { one: Switch }) {
  const [word, color] = !one.up
    ? [text.states.down, "gray"]
    : !one.connected
      ? [text.states.away, "red"]
      : one.in_step
        ? [text.states.connected, "green"]
        : [text.states.reading, "orange"];
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
}

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return <>{text.noProblem}</>;
  return (
    <List size="sm" listStyleType="none">
      {words.map((word) => (
        <List.Item key={word}>{word}</List.Item>
      ))}
    </List>
  );
}

/** Entries and their limit: the smaller one of the budget and the detected capacity. */
function room({ entries, tcam_budget: budget, capacity }: Switch): string {
  const limits = [budget, capacity].filter((one): one is number => one !== null);
  if (limits.length === 0) return entries.toLocaleString();
  const detected = capacity !== null && (budget === null || capacity < budget);
  return (detected ? text.detected : text.limit)(entries, Math.min(...limits));
}

function features({ capacity, groups, meters }: Switch["features"]): string {
  const known = [
    capacity !== null && text.entries(capacity),
    groups !== null && text.groups(groups),
    meters !== null && text.meters(meters),
  ].filter(Boolean);
  return known.join(", ") || text.noFeature;
}
