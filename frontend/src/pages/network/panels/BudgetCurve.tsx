import { Button, Group, Loader, Select, Stack, Table, Text } from "@mantine/core";
import type { EChartsCoreOption } from "echarts/core";
import { useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { useBudgetCurve } from "@/common/charts/budgetCurve";
import { Chart } from "@/common/charts/Chart";
import { ProblemAlert } from "@/common/layout/ProblemAlert";

type Points = Schemas["CurvePoint"][];

const METHODS = [
  { value: "fa-lb", label: "fa-lb: by the loads of publishers" },
  { value: "fa-pb", label: "fa-pb: by past events" },
  { value: "optimal", label: "optimal: the best merge points" },
] as const;
const USUAL = "fa-pb";

/** What other budgets would cost, asked for on demand: it is computed from past events, which takes seconds. */
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
          label="What other budgets would cost"
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
          Work it out
        </Button>
      </Group>
      <ProblemAlert problem={query.error} retry={() => void query.refetch()} />
      {query.isFetching && !query.data && <Loader role="status" size="sm" aria-label="Working it out" />}
      {query.data && <Answer curve={query.data} option={option} />}
    </Stack>
  );
}

function Answer({ curve, option }: { curve: Schemas["Curve"]; option: EChartsCoreOption }) {
  if (curve.points.length === 0)
    return <Text size="sm">The switch has no entry, so that no budget costs anything.</Text>;
  return (
    <>
      <Chart option={option} label="Needless copies and unwanted deliveries by budget" height={220} />
      <Table fz="xs" aria-label="The curve in numbers" verticalSpacing={2}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th ta="right">Budget</Table.Th>
            <Table.Th ta="right">Entries</Table.Th>
            <Table.Th ta="right">Needless copies</Table.Th>
            <Table.Th ta="right">Unwanted</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {curve.points.map((point) => (
            <Table.Tr key={point.budget}>
              <Table.Td ta="right">{point.budget.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{point.entries?.toLocaleString() ?? "does not hold"}</Table.Td>
              <Table.Td ta="right">{figure(point.needless)}</Table.Td>
              <Table.Td ta="right">{figure(point.unwanted)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        An event, in the whole network, by {curve.events.toLocaleString()} past events.
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
    xAxis: { type: "value", name: "budget", nameLocation: "middle", nameGap: 24, scale: true },
    yAxis: { type: "value", name: "an event", nameTextStyle: { align: "left" } },
    grid: { left: 8, right: 16, top: 48, bottom: 28, containLabel: true },
    series: [
      line("needless copies", (point) => point.needless),
      line("unwanted deliveries", (point) => point.unwanted),
    ],
  };
}

const figure = (value: number | null) => (value === null ? "–" : value.toPrecision(3));
