import { Badge, Code, Select, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { text as page } from "./text";

const text = page.auditResult;

type Check = Schemas["Check"];
type Drift = Schemas["Drift"];

export const CHECK_COLOR: Record<string, string> = {
  equal: "green",
  repaired: "teal",
  drifted: "orange",
  unrepaired: "red",
  unreachable: "red",
  unsettled: "orange",
  waiting: "gray",
};

const check = createColumnHelper<Check>();
const checkColumns = [
  check.accessor("switch", { header: text.columns.switch }),
  check.accessor("state", {
    header: text.columns.result,
    cell: (cell) => (
      <Badge variant="light" color={CHECK_COLOR[cell.getValue()] ?? "gray"}>
        {text.results[cell.getValue()] ?? cell.getValue()}
      </Badge>
    ),
  }),
  check.accessor("entries", {
    header: text.columns.entries,
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  check.display({
    id: "differ",
    header: text.columns.differences,
    meta: { align: "right" },
    cell: ({ row: { original: one } }) => (one.missing + one.strange + one.different).toLocaleString(),
  }),
  check.accessor("foreign", { header: text.columns.foreign, meta: { align: "right", priority: "low" } }),
  check.accessor("detail", { header: text.columns.reason, meta: { priority: "low" } }),
];

const KINDS = Object.entries(text.kinds).map(([value, label]) => ({ value, label }));
const drift = createColumnHelper<Drift>();
const driftColumns = [
  drift.accessor("switch", { header: text.columns.switch }),
  drift.accessor("kind", {
    header: text.columns.kind,
    cell: (cell) => text.kinds[cell.getValue()] ?? cell.getValue(),
  }),
  drift.accessor("dst", {
    header: text.columns.entry,
    cell: ({ row: { original: one } }) => <Code>{one.dst || one.what}</Code>,
  }),
  drift.accessor("in_port", {
    header: text.columns.ingress,
    meta: { priority: "low" },
    cell: (cell) => cell.getValue() ?? text.anyPort,
  }),
  drift.accessor("priority", { header: text.columns.priority, meta: { priority: "low", align: "right" } }),
  drift.accessor("expected", { header: text.columns.planned, cell: (cell) => actions(cell.getValue()) }),
  drift.accessor("found", { header: text.columns.found, cell: (cell) => actions(cell.getValue()) }),
];

/** Results of an audit: each switch, and each entry that differs. */
export function AuditResult({ id, over }: { id: string; over: boolean }) {
  const [kind, setKind] = useAddress("kind");
  const checks = useList<Check>(`/api/v1/audits/${id}/checks/`, {}, { name: "checks", ordering: "id" });
  const drifts = useList<Drift>(
    `/api/v1/audits/${id}/drift/`,
    { kind },
    { name: "drift", ordering: "id", enabled: over },
  );
  useFollowed(id, over);
  return (
    <Stack gap="xs">
      <Title order={3}>{text.switches}</Title>
      <DataTable
        label={text.switchesLabel(id)}
        list={checks}
        columns={checkColumns}
        rowId={(row) => row.switch}
        height={300}
        empty={<Text c="dimmed">{text.noSwitch}</Text>}
      />
      <Title order={3}>{text.entries}</Title>
      <Select
        aria-label={text.kind}
        placeholder={text.allKinds}
        clearable
        w={160}
        data={KINDS}
        value={kind || null}
        onChange={setKind}
      />
      <DataTable
        label={text.entriesLabel(id)}
        list={drifts}
        columns={driftColumns}
        rowId={(row) => String(row.id)}
        height={300}
        empty={<Text c="dimmed">{over ? text.noEntry : text.notDone}</Text>}
      />
    </Stack>
  );
}

/** Read the results of an audit every 2 s while it runs, and once at its end. */
function useFollowed(id: string, over: boolean) {
  const queries = useQueryClient();
  useEffect(() => {
    const again = () => void queries.invalidateQueries({ queryKey: [`/api/v1/audits/${id}/checks/`] });
    again();
    if (over) return;
    const timer = setInterval(again, 2_000);
    return () => clearInterval(timer);
  }, [queries, id, over]);
}

function actions(found: Drift["expected"]): string {
  if (found === null) return text.noAction;
  if (found.length === 0) return text.drop;
  return found
    .map((action) => (action.output !== null ? text.port(action.output) : text.address(action.set_dst ?? "")))
    .join(", ");
}
