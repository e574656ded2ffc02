import { Tooltip } from "@mantine/core";
import { type ColumnDef, createColumnHelper } from "@tanstack/react-table";
import { Time } from "@/common/formatting/time";
import { type Announcement, eventsOf, type Participant, type Side } from "./kinds";

export const number = (value: number | null | undefined) => value?.toLocaleString() ?? "–";

/** Columns of what somebody, or somebody's filter, sent or got; `events` says where the first of them may be left out. */
export function activityColumns<Row extends Participant | Announcement>(
  side: Side,
  events?: "low",
  // biome-ignore lint/suspicious/noExplicitAny: columns of one table have values of many types
): ColumnDef<Row, any>[] {
  const column = createColumnHelper<Row>();
  const got = side.who === "subscriber";
  const unwanted = column.accessor((row) => ("unwanted" in row ? row.unwanted : null), {
    id: "unwanted",
    header: () => (
      <Tooltip label="Events that reached its host and that nobody there wanted.">
        <span>Unwanted</span>
      </Tooltip>
    ),
    meta: { align: "right", priority: "low" },
    cell: (cell) => number(cell.getValue()),
  });
  return [
    column.accessor((row) => eventsOf(row), {
      id: "events",
      header: got ? "Delivered" : "Published",
      meta: { align: "right", priority: events },
      cell: (cell) => number(cell.getValue()),
    }),
    ...(got ? [unwanted] : []),
    column.accessor((row) => row.last_seen_at, {
      id: "last_seen_at",
      header: "Last seen",
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty="never" />,
    }),
  ];
}
