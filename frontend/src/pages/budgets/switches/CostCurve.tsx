import { Button, Group, Loader, Select, Stack, Table, Text } from "@mantine/core";
import { useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { useBudgetCurve } from "@/common/charts/budgetCurve";
import { Chart } from "@/common/charts/Chart";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { formatCopies, formatCount, limit, RUNNING, type Switch } from "../figures";
import { usePolicy } from "../policy/policy";
import { text } from "../text";

type CurvePoint = Schemas["CurvePoint"];

const { curve: texts } = text;

/** The cost of a switch's budgets. The calculation takes up to a minute, so the user starts it with a button. */
export function CostCurve({ row, onPick }: { row: Switch; onPick?: (budget: number) => void }) {
  const { data: policy } = usePolicy();
  const [asked, setAsked] = useAddress("curve");
  const usual = RUNNING.find((one) => one === policy?.method) ?? "optimal";
  const method = RUNNING.find((one) => one === asked);
  const found = useBudgetCurve(row.id, method);
  return (
    <Stack gap="xs">
      <Group gap="xs" align="end">
        <Select
          aria-label={texts.method}
          data={[...RUNNING]}
          value={method ?? usual}
          onChange={(value) => setAsked(value)}
          allowDeselect={false}
          w={130}
        />
        {!method && <Button onClick={() => setAsked(usual)}>{texts.calculate}</Button>}
        {found.isFetching && (
          <Group gap={6} role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{texts.calculating}</Text>
          </Group>
        )}
      </Group>
      {method && <ProblemAlert problem={found.error} retry={() => void found.refetch()} />}
      {method && found.data && !found.isFetching && <Points curve={found.data} row={row} onPick={onPick} />}
    </Stack>
  );
}

function Points({
  curve,
  row,
  onPick,
}: {
  curve: Schemas["Curve"];
  row: Switch;
  onPick?: (budget: number) => void;
}) {
  const option = useMemo(() => curveOption(curve.points, limit(row)), [curve.points, row]);
  if (curve.events === 0) {
    return <Empty cause={texts.noSamples} />;
  }
  const clicked = ({ value }: { value?: [number, number] }) => value && onPick?.(value[0]);
  return (
    <Stack gap="xs">
      <Chart label={texts.chart(row.name, curve.method)} option={option} onClick={onPick && clicked} />
      <Text size="sm" c="dimmed">
        {texts.samples(formatCount(curve.events))}
      </Text>
      <Table.ScrollContainer
        minWidth={320}
        maxHeight={260}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label={texts.table(row.name)} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">{texts.budget}</Table.Th>
              <Table.Th ta="right">{texts.entries}</Table.Th>
              <Table.Th ta="right">{texts.redundant}</Table.Th>
              <Table.Th ta="right">
                <WithHelp term="falsePositive">{texts.falsePositives}</WithHelp>
              </Table.Th>
              {onPick && <Table.Th aria-label={texts.actions} />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {curve.points.map((point) => (
              <Table.Tr key={point.budget}>
                <Table.Td ta="right">{formatCount(point.budget)}</Table.Td>
                {point.entries === null ? (
                  <Table.Td colSpan={3} c="dimmed">
                    {texts.unreachable}
                  </Table.Td>
                ) : (
                  <>
                    <Table.Td ta="right">{formatCount(point.entries)}</Table.Td>
                    <Table.Td ta="right">{formatCopies(point.needless)}</Table.Td>
                    <Table.Td ta="right">{formatCopies(point.unwanted)}</Table.Td>
                  </>
                )}
                {onPick && (
                  <Table.Td ta="right">
                    {point.entries !== null && (
                      <Button
                        size="compact-xs"
                        variant="subtle"
                        aria-label={texts.setTo(point.budget)}
                        onClick={() => onPick(point.budget)}
                      >
                        {texts.set}
                      </Button>
                    )}
                  </Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function curveOption(points: readonly CurvePoint[], most: number | null) {
  const held = points.filter(({ entries }) => entries !== null);
  const line = (name: string, of: (point: CurvePoint) => number | null) => ({
    type: "line",
    name,
    data: held.map((point) => [point.budget, of(point)]),
    symbolSize: 7,
  });
  return {
    legend: { top: 0 },
    xAxis: { type: "value", name: texts.budgetAxis, nameLocation: "middle", nameGap: 26, min: 0 },
    yAxis: { type: "value", name: texts.perEvent, min: 0 },
    grid: { left: 8, right: 24, top: 52, bottom: 24, containLabel: true },
    series: [
      {
        ...line(texts.redundantSeries, ({ needless }) => needless),
        markLine:
          most === null
            ? undefined
            : { symbol: "none", silent: true, data: [{ xAxis: most }], label: { formatter: texts.current } },
      },
      line(texts.falsePositivesSeries, ({ unwanted }) => unwanted),
    ],
  };
}
