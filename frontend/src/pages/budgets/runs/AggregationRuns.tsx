import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect } from "react";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { formatCopies, formatCount } from "../figures";
import { AggregationRunState } from "./AggregationRunState";
import { RunForm } from "./RunForm";
import { RunPanel } from "./RunPanel";
import { type AggregationRun, UNDER_WAY } from "./runs";

const PATH = "/api/v1/aggregation/runs/";
const column = createColumnHelper<AggregationRun>();

const columns = [
  column.accessor("id", { header: "Run", meta: { sort: "id" } }),
  column.accessor("method", { header: "Method" }),
  column.accessor("trigger", { header: "Why", meta: { priority: "low" } }),
  column.accessor("state", {
    header: "State",
    cell: (cell) => <AggregationRunState state={cell.getValue()} />,
  }),
  column.accessor("created_at", {
    header: "Asked for",
    cell: (cell) => <Time at={cell.getValue()} />,
    meta: { priority: "low" },
  }),
  column.accessor("events", {
    header: "Events",
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right", priority: "low" },
  }),
  column.accessor("results", {
    header: "Needless copies",
    cell: (cell) => {
      const found = cell.getValue();
      return found ? `${formatCopies(found.needless.before)} → ${formatCopies(found.needless.after)}` : "–";
    },
    meta: { align: "right" },
  }),
  column.accessor("reason", {
    header: "Reason",
    cell: (cell) => (
      <Text size="sm" lineClamp={1} maw={280}>
        {cell.getValue()}
      </Text>
    ),
    meta: { priority: "low" },
  }),
];

/** Runs of aggregation: asked for, followed, looked into, taken back. */
export function AggregationRuns() {
  const [row, setRow] = useAddress("row");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const may = useMay("aggregation/runs", "POST");
  const list = useList<AggregationRun>(PATH, {}, { ordering });
  const queries = useQueryClient();
  const busy = list.rows.some(({ state }) => UNDER_WAY.includes(state));
  useLiveRefresh(["request", "requests"], [PATH]);
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(() => queries.invalidateQueries({ queryKey: [PATH] }), 2_000);
    return () => clearInterval(timer);
  }, [busy, queries]);
  return (
    <Stack>
      {may && <RunForm busy={busy} onRun={(id) => setRow(String(id))} />}
      <DataTable
        label="Runs of aggregation"
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause="There was no run yet. Runs work out by past events which entries to merge; the policy can have them made by period." />
        }
      />
      <RunPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
