import { Anchor, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import type { NetSwitch } from "../model/network";
import { text } from "../text";

type Merged = Schemas["AggregatedEntry"];
const column = createColumnHelper<Merged>();
const columns = [
  column.accessor("dz", {
    header: text.entries.match,
    meta: { help: "mergedEntry" },
    cell: ({ row: { original: entry } }) => (
      <div>
        <Code>{entry.dz || text.wholeSpace}</Code>
        <Text size="xs" c="dimmed">
          {text.entries.meaning(entry.topic, null, entry.in_port)}
        </Text>
      </div>
    ),
  }),
  column.accessor("subscriptions", {
    header: text.merged.subscriptions,
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  column.accessor("measured", {
    header: text.merged.redundant,
    meta: { align: "right", help: "redundantCopy" },
    cell: ({ row: { original: entry } }) => (
      <div>
        {entry.measured.toLocaleString()}
        <Text size="xs" c="dimmed">
          {entry.expected === null
            ? text.merged.window(entry.window)
            : text.merged.predicted(entry.expected.toPrecision(2))}
        </Text>
      </div>
    ),
  }),
  column.accessor("packets", {
    header: text.entries.packets,
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
];

/** Merged entries of a switch with their cost. */
export function MergedEntries({ row }: { row: NetSwitch }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const path = `/api/v1/switches/${row.id}/aggregated/`;
  const list = useList<Merged>(path, {}, { ordering: "id", name: "merged" });
  useLiveRefresh(["tables", "request", "requests"], [path]);
  return (
    <Stack gap="xs">
      <DataTable
        label={text.merged.table(row.name)}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={chosen}
        onSelect={({ id }) => setChosen(String(id))}
        height={320}
        empty={<Empty cause={text.merged.none} />}
      />
      {chosen && <Subscriptions row={row} entry={chosen} />}
    </Stack>
  );
}

function Subscriptions({ row, entry }: { row: NetSwitch; entry: string }) {
  const { data, error } = useQuery({
    queryKey: ["stands-for", row.id, entry],
    queryFn: async () =>
      (
        await api.GET("/api/v1/switches/{id}/aggregated/{entry}/subscriptions/", {
          params: { path: { id: String(row.id), entry }, query: { limit: 50 } },
        })
      ).data,
  });
  if (error) return <ProblemAlert problem={error} />;
  if (!data) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {text.merged.heading}
      </Text>
      {data.results.map((one) => (
        <Text key={one.id} size="sm">
          {text.merged.subscription(
            <Anchor component={Link} to={`/participants?subscription=${one.id}`}>
              {one.name}
            </Anchor>,
            one.subscriber,
            <Code>{one.filter}</Code>,
          )}
        </Text>
      ))}
      {data.next && <Text size="sm">{text.merged.more}</Text>}
    </div>
  );
}
