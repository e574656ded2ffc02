import { Badge, Button, Group, Table, Text } from "@mantine/core";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { useMay } from "@/api/me";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { formatChange, formatCopies, formatCount, METHODS, type Method, RUNNING } from "../figures";
import { text } from "../text";
import { type Comparison, rowsBySwitch, type SwitchRow } from "./comparison";

type Answers = Comparison["answers"];

const { byMethod, bySwitch } = text;

const NAMES = 4; // of switches whose budgets do not fit

/** The whole network by method: entries, cost, and budgets that do not fit. */
export function MethodsTable({
  answers,
  cheapest,
  busy,
  asIs,
}: {
  answers: Answers;
  cheapest: Method | null;
  busy: boolean;
  /** Whether the comparison used the budgets of the network, so that a run has the same result. */
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
      <Table aria-label={byMethod.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{byMethod.method}</Table.Th>
            <Table.Th ta="right">{byMethod.entries}</Table.Th>
            <Table.Th ta="right">
              <WithHelp term="redundantCopy">{byMethod.redundant}</WithHelp>
            </Table.Th>
            <Table.Th ta="right">
              <WithHelp term="falsePositive">{byMethod.falsePositives}</WithHelp>
            </Table.Th>
            <Table.Th>
              <WithHelp term="budget">{byMethod.budgets}</WithHelp>
            </Table.Th>
            <Table.Th ta="right">{byMethod.time}</Table.Th>
            {may && asIs && <Table.Th aria-label={byMethod.actions} />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {first && shown[0] && (
            <Table.Tr data-method="now">
              <Table.Td>{byMethod.now}</Table.Td>
              <Table.Td ta="right">{formatCount(sum("before", shown[0]))}</Table.Td>
              <Table.Td ta="right">{formatCopies(first.needless.before)}</Table.Td>
              <Table.Td ta="right">{formatCopies(first.unwanted.before)}</Table.Td>
              <Table.Td c="dimmed">{byMethod.exact(formatCount(sum("exact", shown[0])))}</Table.Td>
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
                        {byMethod.cheapest}
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
                  {answer.unmet.length === 0 ? byMethod.allFit : <UnmetBudgets names={answer.unmet} />}
                </Table.Td>
                <Table.Td ta="right">{byMethod.seconds(answer.seconds.toFixed(1))}</Table.Td>
                {may && asIs && (
                  <Table.Td ta="right">
                    {(RUNNING as readonly string[]).includes(one) && (
                      <Button
                        size="compact-xs"
                        variant="light"
                        disabled={busy}
                        onClick={() => setParameters({ tab: "runs", method: one })}
                        aria-label={byMethod.runMethod(one)}
                      >
                        {byMethod.run}
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
      {byMethod.unmet(names.length, names.slice(0, NAMES))}
    </Text>
  );
}

const column = createColumnHelper<SwitchRow>();

/** Entries and redundant copies of each switch, by method. */
export function SwitchesTable({ answers }: { answers: Answers }) {
  const rows = useMemo(() => rowsBySwitch(answers), [answers]);
  const shown = METHODS.filter((one) => answers[one]);
  const right = { align: "right" } as const;
  const columns = [
    column.accessor("name", { header: bySwitch.name }),
    column.accessor("budget", {
      header: bySwitch.budget,
      cell: (cell) => cell.getValue()?.toLocaleString() ?? text.unlimited,
      meta: right,
    }),
    column.accessor("exact", {
      header: bySwitch.exact,
      cell: (cell) => formatCount(cell.getValue()),
      meta: { ...right, help: "exactEntry" },
    }),
    column.accessor("before", {
      header: bySwitch.now,
      cell: (cell) => formatCount(cell.getValue()),
      meta: { ...right, help: "installedEntry" },
    }),
    column.accessor("needlessBefore", {
      header: bySwitch.redundantNow,
      cell: (cell) => formatCopies(cell.getValue()),
      meta: { ...right, priority: "low" },
    }),
    ...shown.flatMap((one) => [
      column.accessor((row) => row.by[one]?.entries, {
        id: `${one}-entries`,
        header: bySwitch.entries(one),
        cell: ({ row: { original } }) => {
          const entries = formatCount(original.by[one]?.entries);
          const unmet = original.by[one]?.unmet;
          return (
            <Text span size="sm" c={unmet ? "var(--mantine-color-error)" : undefined}>
              {unmet ? bySwitch.overBudget(entries) : entries}
            </Text>
          );
        },
        meta: right,
      }),
      column.accessor((row) => row.by[one]?.needless, {
        id: `${one}-needless`,
        header: bySwitch.redundant(one),
        cell: (cell) => formatCopies(cell.getValue()),
        meta: { ...right, priority: "low" },
      }),
    ]),
  ];
  return (
    <DataTable
      label={bySwitch.table}
      list={localList(rows)}
      columns={columns}
      rowId={({ name }) => name}
      empty={<Text c="dimmed">{bySwitch.none}</Text>}
    />
  );
}
