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

type Switch = Schemas["Switch"];
const SWITCHES = "/api/v1/switches/";
const column = createColumnHelper<Switch>();

const columns = [
  column.accessor("name", {
    header: "Switch",
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
  column.accessor("connected", { header: "State", cell: ({ row }) => <Standing one={row.original} /> }),
  column.display({
    id: "table",
    header: "Entries",
    meta: { align: "right" },
    cell: ({ row: { original: one } }) => room(one),
  }),
  column.accessor("problems", { header: "Problems", cell: (cell) => <Words words={cell.getValue()} /> }),
  column.accessor("lacks", {
    header: "Does without",
    meta: { priority: "low" },
    cell: (cell) => cell.getValue().join(", ") || "–",
  }),
  column.accessor("features", {
    header: "Told at connect",
    meta: { priority: "low" },
    cell: (cell) => features(cell.getValue()),
  }),
  column.accessor("dpid", { header: "Datapath id", meta: { priority: "low" } }),
];

/** Switches: connections, what they can do, what they lack, and how full they are. */
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
          aria-label="Search switches"
          placeholder="Search"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Select
          aria-label="Connection"
          placeholder="All"
          clearable
          data={[
            { value: "true", label: "Connected" },
            { value: "false", label: "Not connected" },
          ]}
          value={connected || null}
          onChange={setConnected}
        />
      </Group>
      <DataTable
        label="Switches"
        list={list}
        columns={columns}
        rowId={(row) => row.name}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause={q || connected ? "No switch is like that." : "There is no switch yet."}>
            {!q && !connected && (
              <Anchor component={Link} to="/welcome">
                Bring in a network
              </Anchor>
            )}
          </Empty>
        }
      />
    </Stack>
  );
}

function Standing({ one }: { one: Switch }) {
  const [word, color] = !one.up
    ? ["declared down", "gray"]
    : !one.connected
      ? ["not connected", "red"]
      : one.in_step
        ? ["connected", "green"]
        : ["being read back", "orange"];
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
}

function Words({ words }: { words: readonly string[] }) {
  if (words.length === 0) return <>none</>;
  return (
    <List size="sm" listStyleType="none">
      {words.map((word) => (
        <List.Item key={word}>{word}</List.Item>
      ))}
    </List>
  );
}

/** Entries of the room that there is: the smaller of budget and what was found. */
function room({ entries, tcam_budget: budget, capacity }: Switch): string {
  const limits = [budget, capacity].filter((one): one is number => one !== null);
  if (limits.length === 0) return entries.toLocaleString();
  const found = capacity !== null && (budget === null || capacity < budget) ? " (found)" : "";
  return `${entries.toLocaleString()} of ${Math.min(...limits).toLocaleString()}${found}`;
}

function features({ capacity, groups, meters }: Switch["features"]): string {
  const told = [
    capacity !== null && `${capacity.toLocaleString()} entries`,
    groups !== null && `${groups.toLocaleString()} groups`,
    meters !== null && `${meters.toLocaleString()} meters`,
  ].filter(Boolean);
  return told.join(", ") || "nothing";
}
