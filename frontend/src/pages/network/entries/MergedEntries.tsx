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

type Merged = Schemas["AggregatedEntry"];
const column = createColumnHelper<Merged>();
const columns = [
  column.accessor("dz", {
    header: "dz",
    cell: ({ row: { original: entry } }) => (
      <div>
        <Code>{entry.dz || "all"}</Code>
        <Text size="xs" c="dimmed">
          {entry.topic}
          {entry.in_port === null ? "" : `, from port ${entry.in_port}`}
        </Text>
      </div>
    ),
  }),
  column.accessor("subscriptions", {
    header: "Stands for",
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  column.accessor("measured", {
    header: "Needless",
    meta: { align: "right" },
    cell: ({ row: { original: entry } }) => (
      <div>
        {entry.measured.toLocaleString()}
        <Text size="xs" c="dimmed">
          {entry.expected === null ? `of ${entry.window}` : `${entry.expected.toPrecision(2)} expected`}
        </Text>
      </div>
    ),
  }),
  column.accessor("packets", {
    header: "Packets",
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
];

/** The entries that say more than was asked, to keep the switch within its budget, and what that costs. */
export function MergedEntries({ row }: { row: NetSwitch }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const path = `/api/v1/switches/${row.id}/aggregated/`;
  const list = useList<Merged>(path, {}, { ordering: "id", name: "merged" });
  useLiveRefresh(["tables", "request", "requests"], [path]);
  return (
    <Stack gap="xs">
      <DataTable
        label={`Merged entries of ${row.name}`}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={chosen}
        onSelect={({ id }) => setChosen(String(id))}
        height={320}
        empty={
          <Empty cause="No entry of this switch is merged: each says what subscriptions ask for and nothing else." />
        }
      />
      {chosen && <StandsFor row={row} entry={chosen} />}
    </Stack>
  );
}

function StandsFor({ row, entry }: { row: NetSwitch; entry: string }) {
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
        It stands for
      </Text>
      {data.results.map((one) => (
        <Text key={one.id} size="sm">
          <Anchor component={Link} to={`/participants?subscription=${one.id}`}>
            {one.name}
          </Anchor>{" "}
          of {one.subscriber}: <Code>{one.filter}</Code>
        </Text>
      ))}
      {data.next && <Text size="sm">and others</Text>}
    </div>
  );
}
