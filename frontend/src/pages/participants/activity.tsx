import { type ColumnDef, createColumnHelper } from "@tanstack/react-table";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { type Announcement, eventsOf, type Participant, type Side } from "./kinds";
import { text } from "./text";

export const number = (value: number | null | undefined) => value?.toLocaleString() ?? "–";

/** Columns with the events of a row; `events: "low"` hides the first on a phone. */
export function activityColumns<Row extends Participant | Announcement>(
  side: Side,
  events?: "low",
  // biome-ignore lint/suspicious/noExplicitAny: columns of one table have values of many types
): ColumnDef<Row, any>[] {
  const column = createColumnHelper<Row>();
  const receives = side.who === "subscriber";
  const falsePositives = column.accessor((row) => ("unwanted" in row ? row.unwanted : null), {
    id: "unwanted",
    header: () => <WithHelp term="falsePositive">{text.list.falsePositives}</WithHelp>,
    meta: { align: "right", priority: "low" },
    cell: (cell) => number(cell.getValue()),
  });
  return [
    column.accessor((row) => eventsOf(row), {
      id: "events",
      header: () =>
        receives ? <WithHelp term="delivered">{text.subscriber.events}</WithHelp> : text.publisher.events,
      meta: { align: "right", priority: events },
      cell: (cell) => number(cell.getValue()),
    }),
    ...(receives ? [falsePositives] : []),
    column.accessor((row) => row.last_seen_at, {
      id: "last_seen_at",
      header: text.list.lastSeen,
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty={text.list.never} />,
    }),
  ];
}
