import { Stack, Table, Text } from "@mantine/core";
import { Facts } from "@/common/layout/Facts";
import { formatChange, formatCopies, formatCount } from "../figures";
import { text } from "../text";
import type { AggregationResults } from "./runs";

const { results: texts } = text;
const SHOWN = 200;

/** Results of a run or of a test: the network, then each switch that has merged entries or changes. */
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
    texts.beforeAfter(formatCopies(before), formatCopies(after), formatChange(before, after));
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [texts.redundant, pair(results.needless)],
          [texts.falsePositives, pair(results.unwanted), "falsePositive"],
          [texts.chosen, results.chosen && (texts.candidates[results.chosen] ?? results.chosen)],
          [texts.gap, results.gap === null ? null : `${(results.gap * 100).toFixed(1)} %`],
          [texts.time, texts.seconds(results.seconds.toFixed(1))],
          [texts.unmet, unmet.join(", ")],
        ]}
      />
      {rows.length === 0 ? (
        <Text size="sm">{texts.unchanged}</Text>
      ) : (
        <Table.ScrollContainer
          minWidth={420}
          maxHeight={360}
          scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
        >
          <Table aria-label={texts.table} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.name}</Table.Th>
                <Table.Th ta="right">{texts.budget}</Table.Th>
                <Table.Th ta="right">{texts.exact}</Table.Th>
                <Table.Th ta="right">{texts.before}</Table.Th>
                <Table.Th ta="right">{texts.after}</Table.Th>
                <Table.Th ta="right">{texts.redundant}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, SHOWN).map((row) => (
                <Table.Tr key={row.switch}>
                  <Table.Td>{row.switch}</Table.Td>
                  <Table.Td ta="right">
                    {row.tcam_budget === null ? text.unlimited : formatCount(row.tcam_budget)}
                  </Table.Td>
                  <Table.Td ta="right">{formatCount(row.exact)}</Table.Td>
                  <Table.Td ta="right">{formatCount(row.before)}</Table.Td>
                  <Table.Td ta="right">{formatCount(row.after)}</Table.Td>
                  <Table.Td ta="right">
                    {texts.beforeAfter(
                      formatCopies(row.needless_before),
                      formatCopies(row.needless_after),
                      "",
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
            {rows.length > SHOWN && <Table.Caption>{texts.more(rows.length - SHOWN)}</Table.Caption>}
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
