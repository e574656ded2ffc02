import { Table } from "@mantine/core";
import type { Schemas } from "@/api/client";
import { text as common } from "@/common/text";

const SHOWN = 12;
const text = common.cost.table;

/** Table of the entries before and after a change, and the budget, by switch. */
export function EntriesBySwitch({ entries }: { entries: Schemas["Cost"]["entries"] }) {
  return (
    <Table aria-label={text.label} verticalSpacing={3} horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.switch}</Table.Th>
          <Table.Th ta="right">{text.before}</Table.Th>
          <Table.Th ta="right">{text.after}</Table.Th>
          <Table.Th ta="right">{text.budget}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.slice(0, SHOWN).map(({ switch: name, before, after, tcam_budget, exceeded }) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td ta="right">{before.toLocaleString()}</Table.Td>
            <Table.Td ta="right">{text.afterValue(after, after - before)}</Table.Td>
            <Table.Td ta="right" c={exceeded ? "var(--mantine-color-error)" : undefined}>
              {exceeded ? text.exceeded(tcam_budget) : (tcam_budget?.toLocaleString() ?? text.unlimited)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
      {entries.length > SHOWN && <Table.Caption>{text.more(entries.length - SHOWN)}</Table.Caption>}
    </Table>
  );
}
