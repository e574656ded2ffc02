import { ActionIcon, Group, Loader, ScrollArea, Table, Text, UnstyledButton } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronLeft,
  IconChevronLeftPipe,
  IconChevronRight,
  IconChevronRightPipe,
} from "@tabler/icons-react";
import { type ColumnDef, flexRender, getCoreRowModel, useReactTable } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import { HelpIcon, type Term } from "@/common/documentation/HelpIcon";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "@/common/text";
import classes from "./DataTable.module.css";
import type { List } from "./list";

export interface DataTableProps<Row> {
  /** Accessible name of the table. */
  label: string;
  list: List<Row>;
  // biome-ignore lint/suspicious/noExplicitAny: columns of one table have values of many types
  columns: ColumnDef<Row, any>[];
  rowId: (row: Row) => string;
  /** Empty state: the reason and the next step. */
  empty: ReactNode;
  selected?: string | null;
  onSelect?: (row: Row) => void;
  ordering?: string;
  onOrdering?: (ordering: string) => void;
  height?: number | string;
}

/**
 * Properties of a column.
 *
 * `sort` is the server's name of the order. `priority: "low"` hides the column on a phone. `help` is the term whose
 * help icon is in the header.
 */
declare module "@tanstack/react-table" {
  interface ColumnMeta<TData, TValue> {
    sort?: string;
    priority?: "low";
    align?: "right";
    help?: Term;
  }
}

const ROW = 36;

/** Page of a list. Only visible rows are in the document. Enter selects the focused row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    list,
    columns,
    rowId,
    empty,
    selected,
    onSelect,
    ordering,
    onOrdering,
    height = "min(65vh, 720px)",
  } = props;
  const viewport = useRef<HTMLDivElement>(null);
  const table = useReactTable({
    data: list.rows,
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: rowId,
    manualSorting: true,
  });
  const rows = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => viewport.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);

  if (list.error) return <ProblemAlert problem={list.error} retry={list.refetch} />;
  if (!list.loading && rows.length === 0) return <>{empty}</>;
  return (
    <div>
      <ScrollArea.Autosize
        mah={height}
        viewportRef={viewport}
        type="auto"
        offsetScrollbars="present"
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": label }}
        className={list.stale ? classes.stale : undefined}
      >
        <Table
          className={classes.table}
          stickyHeader
          highlightOnHover={Boolean(onSelect)}
          aria-label={label}
          aria-rowcount={list.total ?? -1}
          aria-busy={list.loading || list.stale}
        >
          <Table.Thead>
            {table.getHeaderGroups().map((group) => (
              <Table.Tr key={group.id}>
                {group.headers.map((header) => {
                  const meta = header.column.columnDef.meta;
                  const content = flexRender(header.column.columnDef.header, header.getContext());
                  return (
                    <Table.Th
                      key={header.id}
                      className={hidden(meta?.priority)}
                      ta={meta?.align}
                      aria-sort={sorted(meta?.sort, ordering)}
                    >
                      {meta?.sort && onOrdering ? (
                        <UnstyledButton
                          fz="inherit"
                          fw="inherit"
                          className={classes.heading}
                          onClick={() => onOrdering(turned(meta.sort ?? "", ordering))}
                        >
                          {content} {arrow(meta.sort, ordering)}
                        </UnstyledButton>
                      ) : (
                        content
                      )}
                      {meta?.help && <HelpIcon term={meta.help} />}
                    </Table.Th>
                  );
                })}
              </Table.Tr>
            ))}
          </Table.Thead>
          <Table.Tbody>
            {before > 0 && <Spacer height={before} />}
            {items.map((item) => {
              const row = rows[item.index];
              if (!row) return null;
              const chosen = selected === row.id;
              return (
                <Table.Tr
                  key={row.id}
                  data-row={row.id}
                  bg={chosen ? "var(--mantine-primary-color-light)" : undefined}
                  aria-selected={onSelect ? chosen : undefined}
                  tabIndex={onSelect ? 0 : undefined}
                  className={onSelect ? classes.choosable : undefined}
                  onClick={onSelect && (() => onSelect(row.original))}
                  onKeyDown={
                    onSelect &&
                    ((event) =>
                      event.key === "Enter" && event.target === event.currentTarget && onSelect(row.original))
                  }
                >
                  {row.getVisibleCells().map((cell) => (
                    <Table.Td
                      key={cell.id}
                      className={hidden(cell.column.columnDef.meta?.priority)}
                      ta={cell.column.columnDef.meta?.align}
                    >
                      {flexRender(cell.column.columnDef.cell, cell.getContext())}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
            {after > 0 && <Spacer height={after} />}
          </Table.Tbody>
        </Table>
        {list.loading && <Loader role="status" size="sm" m="md" aria-label={text.loading} />}
      </ScrollArea.Autosize>
      <Pager list={list} onTurn={() => viewport.current?.scrollTo({ top: 0 })} />
    </div>
  );
}

function Pager<Row>({ list, onTurn }: { list: List<Row>; onTurn: () => void }) {
  const turns = [
    { label: text.table.first, go: list.first, icon: IconChevronLeftPipe },
    { label: text.table.previous, go: list.previous, icon: IconChevronLeft },
    { label: text.table.next, go: list.next, icon: IconChevronRight },
    { label: text.table.last, go: list.last, icon: IconChevronRightPipe },
  ];
  const more = turns.some(({ go }) => go);
  return (
    <Group justify="space-between" mt="xs" gap="xs">
      <Text size="sm" c="dimmed">
        {countText(list.total, more ? list.rows.length : 0)}
      </Text>
      {more && (
        <Group gap={4}>
          {turns.map(({ label, go, icon: Icon }) => (
            <ActionIcon
              key={label}
              variant="default"
              aria-label={label}
              disabled={!go}
              onClick={() => {
                go?.();
                onTurn();
              }}
            >
              <Icon size={16} />
            </ActionIcon>
          ))}
        </Group>
      )}
    </Group>
  );
}

/** Total number of rows, and the number on the page if there are several pages. */
function countText(total: number | undefined, rows: number): string {
  if (total === undefined) return rows > 0 ? text.table.page(rows) : "";
  return rows > 0 ? text.table.totalAndPage(total, rows) : text.table.total(total);
}

function Spacer({ height }: { height: number }) {
  return (
    <tr aria-hidden>
      <td style={{ height, padding: 0 }} />
    </tr>
  );
}

const hidden = (priority?: "low") => (priority === "low" ? classes.low : undefined);
const turned = (sort: string, ordering?: string) => (ordering === sort ? `-${sort}` : sort);

function sorted(sort?: string, ordering?: string): "ascending" | "descending" | undefined {
  if (!sort || !ordering) return undefined;
  return ordering === sort ? "ascending" : ordering === `-${sort}` ? "descending" : undefined;
}

function arrow(sort: string, ordering?: string) {
  const direction = sorted(sort, ordering);
  if (!direction) return null;
  return direction === "ascending" ? (
    <IconArrowUp size={12} aria-hidden />
  ) : (
    <IconArrowDown size={12} aria-hidden />
  );
}
