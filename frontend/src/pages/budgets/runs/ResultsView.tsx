import { Stack, Table, Text } from "@mantine/core";
import { Facts } from "@/common/layout/Facts";
import { formatChange, formatCopies, formatCount } from "../figures";
import type { AggregationResults } from "./runs";

const SHOWN = 200;

/** What a run, or a trial of one, came to: the network, then each switch whose table it changes. */
export function ResultsView({
  results,
  unmet = [],
}: {
  results: AggregationResults;
  unmet?: readonly string[];
}) {
  const rows = [...results.switches]
    .filter(({ before, after, exact }) => before !== after || after !== exact)
    .sort((a, b) => b.exact - b.after - (a.exact - a.after));
  const pair = ({ before, after }: { before: number | null; after: number | null }) =>
    `${formatCopies(before)} → ${formatCopies(after)}${before !== null && after !== null ? ` ${formatChange(before, after)}` : ""}`;
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          ["Needless copies an event", pair(results.needless)],
          ["Unwanted deliveries", pair(results.unwanted)],
          ["Covers are of", results.chosen],
          ["From the best choice", results.gap === null ? null : `${(results.gap * 100).toFixed(1)} %`],
          ["Worked out in", `${results.seconds.toFixed(1)} s`],
          ["Budgets", unmet.length === 0 ? null : `do not hold at ${unmet.join(", ")}`],
        ]}
      />
      {rows.length === 0 ? (
        <Text size="sm">No table is merged, before or after.</Text>
      ) : (
        <Table.ScrollContainer
          minWidth={420}
          maxHeight={360}
          scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
        >
          <Table aria-label="Switches before and after" stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Switch</Table.Th>
                <Table.Th ta="right">Budget</Table.Th>
                <Table.Th ta="right">Exact</Table.Th>
                <Table.Th ta="right">Before</Table.Th>
                <Table.Th ta="right">After</Table.Th>
                <Table.Th ta="right">Needless</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, SHOWN).map((row) => (
                <Table.Tr key={row.switch}>
                  <Table.Td>{row.switch}</Table.Td>
                  <Table.Td ta="right">
                    {row.tcam_budget === null ? "any" : formatCount(row.tcam_budget)}
                  </Table.Td>
                  <Table.Td ta="right">{formatCount(row.exact)}</Table.Td>
                  <Table.Td ta="right">{formatCount(row.before)}</Table.Td>
                  <Table.Td ta="right">{formatCount(row.after)}</Table.Td>
                  <Table.Td ta="right">
                    {formatCopies(row.needless_before)} → {formatCopies(row.needless_after)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
            {rows.length > SHOWN && <Table.Caption>and {rows.length - SHOWN} switches more</Table.Caption>}
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
