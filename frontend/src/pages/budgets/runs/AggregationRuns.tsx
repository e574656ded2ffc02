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
import { text } from "../text";
import { AggregationRunState } from "./AggregationRunState";
import { RunForm } from "./RunForm";
import { RunPanel } from "./RunPanel";
import { type AggregationRun, UNDER_WAY } from "./runs";

const PATH = "/api/v1/aggregation/runs/";
const column = createColumnHelper<AggregationRun>();

const columns = [
  column.accessor("id", { header: text.runs.run, meta: { sort: "id" } }),
  column.accessor("method", { header: text.runs.method }),
  column.accessor("trigger", {
    header: text.runs.trigger,
    cell: (cell) => text.runs.triggers[cell.getValue()] ?? cell.getValue(),
    meta: { priority: "low" },
  }),
  column.accessor("state", {
    header: text.runs.state,
    cell: (cell) => <AggregationRunState state={cell.getValue()} />,
  }),
  column.accessor("created_at", {
    header: text.runs.created,
    cell: (cell) => <Time at={cell.getValue()} />,
    meta: { priority: "low" },
  }),
  column.accessor("events", {
    header: text.runs.samples,
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right", priority: "low" },
  }),
  column.accessor("results", {
    header: text.runs.redundant,
    cell: (cell) => {
      const needless = cell.getValue()?.needless;
      if (!needless) return "–";
      return text.runs.beforeAfter(formatCopies(needless.before), formatCopies(needless.after));
    },
    meta: { align: "right", help: "redundantCopy" },
  }),
  column.accessor("reason", {
    header: text.runs.reason,
    cell: (cell) => (
      <Text size="sm" lineClamp={1} maw={280}>
        {cell.getValue()}
      </Text>
    ),
    meta: { priority: "low" },
  }),
];

/** Aggregation runs: start, list, details and revert. */
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
        label={text.runs.table}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause={text.runs.none} />}
      />
      <RunPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
