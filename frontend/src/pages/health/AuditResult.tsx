import { Badge, Code, Select, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";

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
  check.accessor("switch", { header: "Switch" }),
  check.accessor("state", {
    header: "Found",
    cell: (cell) => (
      <Badge variant="light" color={CHECK_COLOR[cell.getValue()] ?? "gray"}>
        {cell.getValue()}
      </Badge>
    ),
  }),
  check.accessor("entries", {
    header: "Entries",
    meta: { align: "right" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  check.display({
    id: "differ",
    header: "Differ",
    meta: { align: "right" },
    cell: ({ row: { original: one } }) => (one.missing + one.strange + one.different).toLocaleString(),
  }),
  check.accessor("foreign", { header: "Others'", meta: { align: "right", priority: "low" } }),
  check.accessor("detail", { header: "Why", meta: { priority: "low" } }),
];

const drift = createColumnHelper<Drift>();
const driftColumns = [
  drift.accessor("switch", { header: "Switch" }),
  drift.accessor("kind", { header: "Kind" }),
  drift.accessor("dst", {
    header: "Entry",
    cell: ({ row: { original: one } }) => <Code>{one.dst || one.what}</Code>,
  }),
  drift.accessor("in_port", {
    header: "From port",
    meta: { priority: "low" },
    cell: (cell) => cell.getValue() ?? "any",
  }),
  drift.accessor("priority", { header: "Priority", meta: { priority: "low", align: "right" } }),
  drift.accessor("expected", { header: "Planned", cell: (cell) => actions(cell.getValue()) }),
  drift.accessor("found", { header: "Found", cell: (cell) => actions(cell.getValue()) }),
];

/** How each switch of an audit was found, and each entry that differed. */
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
      <Title order={3}>By switch</Title>
      <DataTable
        label={`Switches of audit ${id}`}
        list={checks}
        columns={checkColumns}
        rowId={(row) => row.switch}
        height={300}
        empty={<Text c="dimmed">No switch was looked at.</Text>}
      />
      <Title order={3}>By entry, as it was before a repair</Title>
      <Select
        aria-label="Kind of difference"
        placeholder="All kinds"
        clearable
        w={160}
        data={["missing", "strange", "different"]}
        value={kind || null}
        onChange={setKind}
      />
      <DataTable
        label={`Entries of audit ${id}`}
        list={drifts}
        columns={driftColumns}
        rowId={(row) => String(row.id)}
        height={300}
        empty={<Text c="dimmed">{over ? "No entry differed." : "Told when the audit is done."}</Text>}
      />
    </Stack>
  );
}

/** Reads the switches of an audit anew while it goes on, and once when it is over. */
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
  if (found === null) return "no entry";
  if (found.length === 0) return "drop";
  return found
    .map((action) => (action.output !== null ? `port ${action.output}` : `to ${action.set_dst}`))
    .join(", ");
}
