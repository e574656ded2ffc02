import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { useMay } from "@/api/me";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { formatChange, formatCopies, formatCount, METHODS, type Method, RUNNING } from "../figures";
import { type Comparison, rowsBySwitch, type SwitchRow } from "./comparison";

type Answers = Comparison["answers"];

/** The network with each method: what is installed, what it costs, where it does not hold. */
export function MethodsTable({
  answers,
  cheapest,
  busy,
  asIs,
}: {
  answers: Answers;
  cheapest: Method | null;
  busy: boolean;
  /** The budgets are those of the network, so that what was compared can be had. */
  asIs: boolean;
}) {
  const may = useMay("aggregation/runs", "POST");
  const [, setParameters] = useSearchParams();
  const shown = METHODS.filter((one) => answers[one]);
  const first = shown[0] ? answers[shown[0]] : undefined;
  const sum = (of: "before" | "after" | "exact", method: Method) =>
    answers[method]?.switches.reduce((total, one) => total + one[of], 0);
  return (
    <Table.ScrollContainer minWidth={520}>
      <Table aria-label="Methods side by side">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Method</Table.Th>
            <Table.Th ta="right">Entries</Table.Th>
            <Table.Th ta="right">Needless copies</Table.Th>
            <Table.Th ta="right">Unwanted</Table.Th>
            <Table.Th>Budgets</Table.Th>
            <Table.Th ta="right">Took</Table.Th>
            {may && asIs && <Table.Th aria-label="Run" />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {first && shown[0] && (
            <Table.Tr data-method="now">
              <Table.Td>as it is now</Table.Td>
              <Table.Td ta="right">{formatCount(sum("before", shown[0]))}</Table.Td>
              <Table.Td ta="right">{formatCopies(first.needless.before)}</Table.Td>
              <Table.Td ta="right">{formatCopies(first.unwanted.before)}</Table.Td>
              <Table.Td c="dimmed">{formatCount(sum("exact", shown[0]))} exact entries</Table.Td>
              <Table.Td />
              {may && asIs && <Table.Td />}
            </Table.Tr>
          )}
          {shown.map((one) => {
            const answer = answers[one];
            if (!answer) return null;
            return (
              <Table.Tr key={one} data-method={one}>
                <Table.Td>
                  <Group gap={6}>
                    {one}
                    {one === cheapest && shown.length > 1 && (
                      <Badge variant="light" miw="max-content">
                        costs least
                      </Badge>
                    )}
                  </Group>
                </Table.Td>
                <Table.Td ta="right">{formatCount(sum("after", one))}</Table.Td>
                <Table.Td ta="right">
                  {formatCopies(answer.needless.after)}{" "}
                  <Text span size="xs" c="dimmed">
                    {formatChange(answer.needless.before, answer.needless.after)}
                  </Text>
                </Table.Td>
                <Table.Td ta="right">{formatCopies(answer.unwanted.after)}</Table.Td>
                <Table.Td>
                  {answer.unmet.length === 0 ? "all hold" : <UnmetBudgets names={answer.unmet} />}
                </Table.Td>
                <Table.Td ta="right">{answer.seconds.toFixed(1)} s</Table.Td>
                {may && asIs && (
                  <Table.Td ta="right">
                    {(RUNNING as readonly string[]).includes(one) && (
                      <Button
                        size="compact-xs"
                        variant="light"
                        disabled={busy}
                        onClick={() => setParameters({ tab: "runs", method: one })}
                        aria-label={`Run ${one}`}
                      >
                        Run…
                      </Button>
                    )}
                  </Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function UnmetBudgets({ names }: { names: readonly string[] }) {
  return (
    <Text size="sm" c="var(--mantine-color-error)">
      {names.length} do not hold: {names.slice(0, 4).join(", ")}
      {names.length > 4 ? ", …" : ""}
    </Text>
  );
}

const column = createColumnHelper<SwitchRow>();

/** What each method makes of each switch. */
export function SwitchesTable({ answers }: { answers: Answers }) {
  const rows = useMemo(() => rowsBySwitch(answers), [answers]);
  const shown = METHODS.filter((one) => answers[one]);
  const right = { align: "right" } as const;
  const columns = [
    column.accessor("name", { header: "Switch" }),
    column.accessor("budget", {
      header: "Budget",
      cell: (cell) => cell.getValue()?.toLocaleString() ?? "any",
      meta: right,
    }),
    column.accessor("exact", { header: "Exact", cell: (cell) => formatCount(cell.getValue()), meta: right }),
    column.accessor("before", { header: "Now", cell: (cell) => formatCount(cell.getValue()), meta: right }),
    column.accessor("needlessBefore", {
      header: "Needless now",
      cell: (cell) => formatCopies(cell.getValue()),
      meta: { ...right, priority: "low" },
    }),
    ...shown.flatMap((one) => [
      column.accessor((row) => row.by[one]?.entries, {
        id: `${one}-entries`,
        header: one,
        cell: ({ row: { original } }) => (
          <Text span size="sm" c={original.by[one]?.unmet ? "var(--mantine-color-error)" : undefined}>
            {formatCount(original.by[one]?.entries)}
            {original.by[one]?.unmet ? " (too many)" : ""}
          </Text>
        ),
        meta: right,
      }),
      column.accessor((row) => row.by[one]?.needless, {
        id: `${one}-needless`,
        header: `needless, ${one}`,
        cell: (cell) => formatCopies(cell.getValue()),
        meta: { ...right, priority: "low" },
      }),
    ]),
  ];
  return (
    <DataTable
      label="Switches by method"
      list={localList(rows)}
      columns={columns}
      rowId={({ name }) => name}
      empty={<Text c="dimmed">No switch has a budget or merged entries.</Text>}
    />
  );
}
