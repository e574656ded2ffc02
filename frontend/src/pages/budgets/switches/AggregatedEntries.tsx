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

type Merged = Schemas["AggregatedEntry"];
type StandsFor = Schemas["StandsFor"];

const column = createColumnHelper<Merged>();

const columns = [
  column.accessor("topic", { header: "Topic" }),
  column.accessor("dz", {
    header: "dz",
    cell: ({ row: { original } }) => (
      <Code style={{ overflowWrap: "anywhere" }}>
        {original.dz || "all"}
        {original.in_port === null ? "" : ` from port ${original.in_port}`}
      </Code>
    ),
  }),
  column.accessor("subscriptions", {
    header: "Stands for",
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("measured", {
    header: "Measured",
    cell: (cell) => formatCopies(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("expected", {
    header: "Expected",
    cell: (cell) => formatCopies(cell.getValue()),
    meta: { align: "right" },
  }),
  column.accessor("packets", {
    header: "Packets",
    cell: (cell) => formatCount(cell.getValue()),
    meta: { align: "right", priority: "low" },
  }),
];

/** The merged entries of a switch; one that is chosen tells which subscriptions it stands for. */
export function AggregatedEntries({ id }: { id: number }) {
  const [chosen, setChosen] = useState<Merged | null>(null);
  const path = `/api/v1/switches/${id}/aggregated/`;
  const list = useList<Merged>(path, {}, { name: "merged", ordering: "id", limit: 50 });
  useLiveRefresh(["tables", "request", "requests"], [path]);
  const first = list.rows[0];
  return (
    <Stack gap="xs">
      <DataTable
        label="Merged entries"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        selected={chosen ? String(chosen.id) : null}
        onSelect={setChosen}
        height={280}
        empty={
          <Empty cause="No entry of this switch stands for more than was asked: nothing is merged here." />
        }
      />
      {first && (
        <Text size="sm" c="dimmed">
          Needless copies of the newest {formatCount(first.window)} events, as measured{" "}
          <Time at={first.measured_at} empty="within a minute" />, next to those that older events let expect.
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
    <Stack gap="xs" role="region" aria-label="Subscriptions of the entry">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Subscriptions that <Code>{merged.dz || "all"}</Code> stands for
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </Group>
      {list.error ? (
        <ProblemAlert problem={list.error} />
      ) : (
        <Table aria-label="Subscriptions of the entry">
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
                  <Code style={{ overflowWrap: "anywhere" }}>{one.filter || "everything"}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {(list.total ?? 0) > list.rows.length && (
        <Group gap="xs">
          <Text size="sm">{list.total} in all</Text>
          {list.previous && (
            <Button size="compact-xs" variant="default" onClick={list.previous}>
              Previous
            </Button>
          )}
          {list.next && (
            <Button size="compact-xs" variant="default" onClick={list.next}>
              Next
            </Button>
          )}
        </Group>
      )}
    </Stack>
  );
}
