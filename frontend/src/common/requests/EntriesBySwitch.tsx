import { Table } from "@mantine/core";
import type { Schemas } from "@/api/client";
import { formatDifference } from "@/common/formatting/figures";

const SHOWN = 12;

/** Entries of switches now and afterwards, beside their budgets: what something would cost before it is done. */
export function EntriesBySwitch({ entries }: { entries: Schemas["Cost"]["entries"] }) {
  return (
    <Table aria-label="Entries by switch" verticalSpacing={3} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Switch</Table.Th>
          <Table.Th ta="right">Entries now</Table.Th>
          <Table.Th ta="right">Afterwards</Table.Th>
          <Table.Th ta="right">TCAM budget</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.slice(0, SHOWN).map(({ switch: name, before, after, tcam_budget, exceeded }) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td ta="right">{before.toLocaleString()}</Table.Td>
            <Table.Td ta="right">
              {after.toLocaleString()} ({formatDifference(after - before)})
            </Table.Td>
            <Table.Td ta="right" c={exceeded ? "var(--mantine-color-error)" : undefined}>
              {tcam_budget?.toLocaleString() ?? "none"}
              {exceeded ? " exceeded" : ""}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      {entries.length > SHOWN && <Table.Caption>and {entries.length - SHOWN} switches more</Table.Caption>}
    </Table>
  );
}
