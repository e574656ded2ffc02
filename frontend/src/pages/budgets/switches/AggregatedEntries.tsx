import { Anchor, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { createColumnHelper } from "@tanstack/react-table";
import { useState } from "react";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { formatCopies, formatCount } from "../figures";
import { text } from "../text";

type Merged = Schemas["AggregatedEntry"];
type StandsFor = Schemas["StandsFor"];

const column = createColumnHelper<Merged>();

const columns = [
  column.accessor("topic", { header: text.merged.topic }),
  column.accessor("dz", {
    header: text.merged.dz,
    cell: ({ row: { original } }) => {
      const dz = original.dz || text.merged.all;
      return (
        <Code style={{ overflowWrap: "anywhere", display: "inline-block", minWidth: "9ch" }}>
          {original.in_port === null ? dz : text.merged.dzFromPort(dz, original.in_port)}
        </Code>
      );
    },
  }),
  column.accessor("subscriptions", {
    header: text.merged.subscriptions,
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("measured", {
    header: text.merged.measured,
    cell: (cell) => formatCopies(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("expected", {
    header: text.merged.predicted,
    cell: (cell) => formatCopies(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("packets", {
    header: text.merged.packets,
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right", priority: "low" },
  }),
];

/** The merged entries of a switch, and the subscriptions of the selected entry. */
export function AggregatedEntries({ id }: { id: number }) {
  const [chosen, setChosen] = useState<Merged | null>(null);
  const path = `/api/v1/switches/${id}/aggregated/`;
  const list = useList<Merged>(path, {}, { name: "merged", ordering: "id", limit: 50 });
  useLiveRefresh(["tables", "request", "requests"], [path]);
  const first = list.rows[0];
  return (
    <Stack gap="xs">
      <DataTable
        label={text.merged.table}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        selected={chosen ? String(chosen.id) : null}
        onSelect={setChosen}
        height={280}
        empty={<Empty cause={text.merged.none} />}
      />
      {first && (
        <Text size="sm" c="dimmed">
          {first.measured_at
            ? text.merged.measuredAt(formatCount(first.window), <Time at={first.measured_at} />)
            : text.merged.measuredSoon(formatCount(first.window))}
        </Text>
      )}
      {chosen && <Subscriptions key={chosen.id} merged={chosen} onClose={() => setChosen(null)} />}
    </Stack>
  );
}

function Subscriptions({ merged, onClose }: { merged: Merged; onClose: () => void }) {
  const list = useList<StandsFor>(
    merged.subscriptions_url,
    {},
    { name: "stands-for", ordering: "id", limit: 20 },
  );
  return (
    <Stack gap="xs" role="region" aria-label={text.merged.region}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {text.merged.heading(<Code>{merged.dz || text.merged.all}</Code>)}
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          {text.close}
        </Button>
      </Group>
      {list.error ? (
        <ProblemAlert problem={list.error} />
      ) : (
        <Table aria-label={text.merged.region}>
          <Table.Tbody>
            {list.rows.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>
                  <Anchor
                    component={Link}
                    to={`/participants?tab=subscribers&q=${encodeURIComponent(one.subscriber)}`}
                  >
                    {one.subscriber}
                  </Anchor>
                </Table.Td>
                <Table.Td>{one.name}</Table.Td>
                <Table.Td>
                  <Code style={{ overflowWrap: "anywhere" }}>{one.filter || text.merged.everyEvent}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {(list.total ?? 0) > list.rows.length && (
        <Group gap="xs">
          <Text size="sm">{text.merged.total(list.total ?? 0)}</Text>
          {list.previous && (
            <Button size="compact-xs" variant="default" onClick={list.previous}>
              {text.merged.previous}
            </Button>
          )}
          {list.next && (
            <Button size="compact-xs" variant="default" onClick={list.next}>
              {text.merged.next}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
