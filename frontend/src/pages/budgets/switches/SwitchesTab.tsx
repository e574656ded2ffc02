import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { formatCopies, formatCount, type Switch, sortSwitches } from "../figures";
import { useLastRun } from "../runs/runs";
import { text } from "../text";
import { BudgetDialog } from "./BudgetDialog";
import { SwitchBudgetPanel } from "./SwitchBudgetPanel";
import { useSwitches } from "./switches";
import { TableFill } from "./TableFill";

const { switches: texts } = text;
const column = createColumnHelper<Switch>();

/** All switches with the sizes of their tables; the user can set a budget for the selected ones. */
export function SwitchesTab() {
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "-load");
  const [chosenText, setChosenText] = useAddress("select");
  const [row, setRow] = useAddress("row");
  const [editing, setEditing] = useState(false);
  const may = useMay("switches", "PATCH");
  const found = useSwitches();
  const { data: run } = useLastRun();
  const needless = useMemo(
    () => new Map(run?.results?.switches.map((one) => [one.switch, one.needless_after]) ?? []),
    [run],
  );
  const rows = useMemo(() => {
    const wanted = q.toLowerCase();
    const shown = (found.data ?? []).filter(({ name, label }) =>
      `${name} ${label}`.toLowerCase().includes(wanted),
    );
    return sortSwitches(shown, ordering, needless);
  }, [found.data, q, ordering, needless]);
  const [chosen, setChosen] = useChoice(chosenText);
  const choose = (names: Iterable<string>) => {
    const next = new Set(names);
    setChosen(next);
    setChosenText([...next].join(","));
  };
  const toggle = (name: string) =>
    choose(chosen.has(name) ? [...chosen].filter((one) => one !== name) : [...chosen, name]);
  const known = (found.data ?? []).filter(({ name }) => chosen.has(name));
  const everyone = rows.length > 0 && rows.every(({ name }) => chosen.has(name));

  const columns = [
    ...(may
      ? [
          column.display({
            id: "choose",
            header: () => (
              <Checkbox
                size="xs"
                aria-label={texts.selectAll}
                checked={everyone}
                indeterminate={!everyone && known.length > 0}
                onChange={() => choose(everyone ? [] : rows.map(({ name }) => name))}
              />
            ),
            cell: ({ row: { original } }) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: only prevents that a click opens the row
              // biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox handles the keys
              <span onClick={(event) => event.stopPropagation()}>
                <Checkbox
                  size="xs"
                  aria-label={texts.select(original.name)}
                  checked={chosen.has(original.name)}
                  onChange={() => toggle(original.name)}
                />
              </span>
            ),
          }),
        ]
      : []),
    column.accessor("name", {
      header: texts.name,
      meta: { sort: "name" },
      cell: ({ row: { original } }) => (
        <Group gap={6}>
          <Text size="sm" fw={500}>
            {original.name}
          </Text>
          <Text size="sm" c="dimmed" visibleFrom="md">
            {original.label}
          </Text>
        </Group>
      ),
    }),
    column.accessor("tcam_budget", {
      header: texts.budget,
      meta: { sort: "budget", align: "right", help: "budget" },
      cell: (cell) => cell.getValue()?.toLocaleString() ?? text.unlimited,
    }),
    column.accessor("capacity", {
      header: texts.capacity,
      meta: { align: "right", priority: "low" },
      cell: (cell) => cell.getValue()?.toLocaleString() ?? texts.capacityUnknown,
    }),
    column.accessor("exact_entries", {
      header: texts.exact,
      meta: { sort: "exact", align: "right", priority: "low", help: "exactEntry" },
      cell: (cell) => formatCount(cell.getValue()),
    }),
    column.accessor("entries", {
      header: texts.installed,
      meta: { sort: "entries", align: "right", help: "installedEntry" },
      cell: (cell) => formatCount(cell.getValue()),
    }),
    column.display({
      id: "load",
      header: texts.fill,
      meta: { sort: "load", priority: "low" },
      cell: ({ row: { original } }) => <TableFill row={original} />,
    }),
    column.display({
      id: "needless",
      header: texts.redundant,
      meta: { sort: "needless", align: "right", priority: "low", help: "redundantCopy" },
      cell: ({ row: { original } }) => formatCopies(needless.get(original.name)),
    }),
  ];

  return (
    <Stack>
      <Group gap="xs" justify="space-between">
        <TextInput
          aria-label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={q}
          onChange={(event) => setQ(event.currentTarget.value)}
        />
        {may && (
          <Group gap="xs">
            <Text size="sm" role="status">
              {known.length > 0 ? texts.selected(known.length) : ""}
            </Text>
            {known.length > 0 && (
              <Button variant="subtle" onClick={() => choose([])}>
                {texts.clear}
              </Button>
            )}
            <Button disabled={known.length === 0} onClick={() => setEditing(true)}>
              {texts.setBudget}
            </Button>
          </Group>
        )}
      </Group>
      <DataTable
        label={texts.table}
        list={localList(rows, {
          loading: found.isPending,
          error: found.error,
          refetch: () => void found.refetch(),
        })}
        columns={columns}
        rowId={({ name }) => name}
        selected={row}
        onSelect={({ name }) => setRow(name)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause={q ? texts.noMatch : texts.none}>
            {q ? (
              <Button variant="light" onClick={() => setQ("")}>
                {texts.showAll}
              </Button>
            ) : (
              <Button component={Link} to="/welcome">
                {texts.setUp}
              </Button>
            )}
          </Empty>
        }
      />
      <Text size="sm" c="dimmed">
        {texts.legend}{" "}
        {run?.results ? texts.redundantOfRun(run.id, <Time at={run.ended_at} />) : texts.redundantUnknown}
      </Text>
      {editing && <BudgetDialog switches={known} onClose={() => setEditing(false)} />}
      <SwitchBudgetPanel
        row={found.data?.find(({ name }) => name === row) ?? null}
        onClose={() => setRow(null)}
      />
    </Stack>
  );
}

/** The selected names of the address. They are also a state, so that a click shows immediately. */
function useChoice(text: string) {
  const [chosen, setChosen] = useState(() => namesIn(text));
  useEffect(() => setChosen(namesIn(text)), [text]);
  return [chosen, setChosen] as const;
}

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(",").filter(Boolean));
