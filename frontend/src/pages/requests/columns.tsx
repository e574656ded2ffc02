import { Group, Text } from "@mantine/core";
import { createColumnHelper } from "@tanstack/react-table";
import type { NetworkRequest } from "@/api/request";
import { Time } from "@/common/formatting/time";
import { StateBadge } from "@/common/requests/StateBadge";
import { kindWords } from "./kinds";
import { span, steps, total } from "./stages";
import { text } from "./text";

const column = createColumnHelper<NetworkRequest>();

function durationColumn(name: "started" | "computed" | "confirmed", header: string) {
  return column.accessor((row) => steps(row.stage).find((step) => step.name === name)?.took ?? null, {
    id: name,
    header,
    cell: (cell) => span(cell.getValue()),
    meta: { align: "right", priority: "low" },
  });
}

export const columns = [
  column.accessor("id", { header: text.columns.id, meta: { sort: "id" } }),
  column.accessor("kind", {
    header: text.columns.request,
    cell: ({ row: { original } }) => (
      <Group gap={6}>
        <Text size="sm">{kindWords(original.kind)}</Text>
        <Text size="sm" c="dimmed" ff="monospace">
          {original.object?.name}
        </Text>
      </Group>
    ),
  }),
  column.accessor("state", {
    header: text.columns.state,
    cell: (cell) => <StateBadge state={cell.getValue()} />,
  }),
  column.accessor("stage.received", {
    header: text.columns.received,
    cell: (cell) => <Time at={cell.getValue()} />,
    meta: { priority: "low" },
  }),
  durationColumn("started", text.columns.waiting),
  durationColumn("computed", text.columns.planning),
  durationColumn("confirmed", text.columns.deployment),
  column.accessor((row) => total(row.stage), {
    id: "total",
    header: text.columns.total,
    cell: (cell) => span(cell.getValue()),
    meta: { align: "right", priority: "low" },
  }),
];
