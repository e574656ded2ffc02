import { Button, Group, Loader, Select, Stack, Table, Text } from "@mantine/core";
import { useMemo } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { useBudgetCurve } from "@/common/charts/budgetCurve";
import { Chart } from "@/common/charts/Chart";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { formatCopies, formatCount, limit, RUNNING, type Switch } from "../figures";
import { usePolicy } from "../policy/policy";

type CurvePoint = Schemas["CurvePoint"];

/** False positives against the budget of a switch, by a method; the question takes a while, so it is asked for. */
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
          aria-label="Method of the curve"
          data={[...RUNNING]}
          value={method ?? usual}
          onChange={(value) => setAsked(value)}
          allowDeselect={false}
          w={130}
        />
        {!method && <Button onClick={() => setAsked(usual)}>Work it out</Button>}
        {found.isFetching && (
          <Group gap={6} role="status">
            <Loader size="xs" aria-hidden />
            <Text size="sm">Working it out; this takes some seconds, a minute at most.</Text>
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
    return (
      <Empty cause="No past events are kept, and a curve is worked out from them. Hosts report them, or a job of analytics draws them from telemetry." />
    );
  }
  const clicked = ({ value }: { value?: [number, number] }) => value && onPick?.(value[0]);
  return (
    <Stack gap="xs">
      <Chart
        label={`False positives against the budget of ${row.name}, by ${curve.method}`}
        option={option}
        onClick={onPick && clicked}
      />
      <Text size="sm" c="dimmed">
        By {formatCount(curve.events)} events.
      </Text>
      <Table.ScrollContainer
        minWidth={320}
        maxHeight={260}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label={`Curve of ${row.name} as a table`} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th ta="right">Budget</Table.Th>
              <Table.Th ta="right">Entries</Table.Th>
              <Table.Th ta="right">Needless copies</Table.Th>
              <Table.Th ta="right">Unwanted</Table.Th>
              {onPick && <Table.Th aria-label="Set" />}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {curve.points.map((point) => (
              <Table.Tr key={point.budget}>
                <Table.Td ta="right">{formatCount(point.budget)}</Table.Td>
                {point.entries === null ? (
                  <Table.Td colSpan={3} c="dimmed">
                    no merging brings it so low
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
                        aria-label={`Set a budget of ${point.budget}`}
                        onClick={() => onPick(point.budget)}
                      >
                        Set…
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
    xAxis: { type: "value", name: "budget", nameLocation: "middle", nameGap: 26, min: 0 },
    yAxis: { type: "value", name: "an event", min: 0 },
    grid: { left: 8, right: 24, top: 52, bottom: 24, containLabel: true },
    series: [
      {
        ...line("needless copies", ({ needless }) => needless),
        markLine:
          most === null
            ? undefined
            : { symbol: "none", silent: true, data: [{ xAxis: most }], label: { formatter: "now" } },
      },
      line("unwanted deliveries", ({ unwanted }) => unwanted),
    ],
  };
}
