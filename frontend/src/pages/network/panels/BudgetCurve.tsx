import { Button, Group, Loader, Select, Stack, Table, Text } from "@mantine/core";
import type { EChartsCoreOption } from "echarts/core";
import { useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { useBudgetCurve } from "@/common/charts/budgetCurve";
import { Chart } from "@/common/charts/Chart";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "../text";

type Points = Schemas["CurvePoint"][];

const { curve: texts } = text;
const METHODS = [
  { value: "fa-lb", label: texts.methods["fa-lb"] },
  { value: "fa-pb", label: texts.methods["fa-pb"] },
  { value: "optimal", label: texts.methods.optimal },
] as const;
const USUAL = "fa-pb";

/** Cost of other budgets. The calculation from past events takes seconds, so the user starts it. */
export function BudgetCurve({ row }: { row: { id: number } }) {
  const [chosen, setMethod] = useAddress("method", USUAL);
  const [asked, setAsked] = useAddress("curve");
  const method = METHODS.find(({ value }) => value === chosen)?.value ?? USUAL;
  const query = useBudgetCurve(row.id, asked === "yes" ? method : undefined);
  const option = useMemo(() => optionOf(query.data?.points ?? []), [query.data]);
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <Select
          label={texts.label}
          data={METHODS}
          value={method}
          onChange={(value) => setMethod(value)}
          allowDeselect={false}
          style={{ flex: 1 }}
        />
        <Button
          variant="default"
          onClick={() => (asked === "yes" ? query.refetch() : setAsked("yes"))}
          loading={query.isFetching}
        >
          {texts.calculate}
        </Button>
      </Group>
      <ProblemAlert problem={query.error} retry={() => void query.refetch()} />
      {query.isFetching && !query.data && <Loader role="status" size="sm" aria-label={texts.calculating} />}
      {query.data && <Answer curve={query.data} option={option} />}
    </Stack>
  );
}

function Answer({ curve, option }: { curve: Schemas["Curve"]; option: EChartsCoreOption }) {
  if (curve.points.length === 0) return <Text size="sm">{texts.none}</Text>;
  return (
    <>
      <Chart option={option} label={texts.chart} height={220} />
      <Table fz="xs" aria-label={texts.table} verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">{texts.budget}</Table.Th>
            <Table.Th ta="right">{texts.entries}</Table.Th>
            <Table.Th ta="right">
              <WithHelp term="redundantCopy">{texts.redundant}</WithHelp>
            </Table.Th>
            <Table.Th ta="right">{texts.falsePositives}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {curve.points.map((point) => (
            <Table.Tr key={point.budget}>
              <Table.Td ta="right">{point.budget.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{point.entries?.toLocaleString() ?? texts.unreachable}</Table.Td>
              <Table.Td ta="right">{figure(point.needless)}</Table.Td>
              <Table.Td ta="right">{figure(point.unwanted)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        {texts.basis(curve.events)}
      </Text>
    </>
  );
}

function optionOf(points: Points): EChartsCoreOption {
  const line = (name: string, of: (point: Points[number]) => number | null) => ({
    name,
    type: "line",
    symbolSize: 6,
    data: points.map((point) => [point.budget, of(point)]),
  });
  return {
    legend: { top: 0 },
    xAxis: { type: "value", name: texts.budgetAxis, nameLocation: "middle", nameGap: 24, scale: true },
    yAxis: { type: "value", name: texts.perEvent, nameTextStyle: { align: "left" } },
    grid: { left: 8, right: 16, top: 48, bottom: 28, containLabel: true },
    series: [
      line(texts.redundantSeries, (point) => point.needless),
      line(texts.falsePositivesSeries, (point) => point.unwanted),
    ],
  };
}

const figure = (value: number | null) => (value === null ? "–" : value.toPrecision(3));
