import { Anchor, Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { type NetworkRequest, useNetworkRequest } from "@/api/request";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { title } from "../model/network";
import { BudgetCurve } from "./BudgetCurve";

/** How many entries a switch may hold: shown, changed by who may, and what other numbers would cost. */
export function Budget({ row }: { row: Schemas["Switch"] }) {
  const may = useMay("switches", "PATCH");
  return (
    <Stack gap="sm">
      <Text size="sm">
        {row.tcam_budget === null
          ? "No budget: the table may hold any number."
          : `Budget: ${row.tcam_budget.toLocaleString()}.`}
        {` It holds ${row.entries.toLocaleString()} entries`}
        {row.exact_entries !== row.entries
          ? `; without aggregation it would hold ${row.exact_entries.toLocaleString()}.`
          : "."}
        {row.capacity !== null && ` The switch itself was full at ${row.capacity.toLocaleString()}.`}
      </Text>
      {may && <BudgetForm key={row.name} row={row} />}
      <BudgetCurve row={row} />
    </Stack>
  );
}

function BudgetForm({ row }: { row: Schemas["Switch"] }) {
  const [value, setValue] = useState<string | number>(row.tcam_budget ?? "");
  const [touched, setTouched] = useState(false);
  useEffect(() => {
    if (!touched) setValue(row.tcam_budget ?? "");
  }, [row.tcam_budget, touched]);
  const change = useNetworkRequest(
    async (budget: number | null) => {
      const { data } = await api.PATCH("/api/v1/switches/{id}/", {
        params: { path: { id: String(row.id) } },
        body: { tcam_budget: budget },
      });
      return data as NetworkRequest | undefined;
    },
    {
      what: `The budget of ${title(row)} is changed.`,
      refresh: [["network"], ["switch", row.id], [`/api/v1/tables/${row.id}/entries/`]],
    },
  );
  const budget = value === "" ? null : Number(value);
  const send = () => change.mutate(budget, { onSuccess: () => setTouched(false) });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Group align="flex-end" gap="xs">
        <NumberInput
          label="Entries it may hold"
          description="Leave it empty for any number"
          placeholder="any number"
          value={value}
          onChange={(now) => {
            setTouched(true);
            setValue(now);
          }}
          min={0}
          allowNegative={false}
          allowDecimal={false}
          thousandSeparator=","
          error={change.isError}
          style={{ flex: 1 }}
        />
        <Button type="submit" loading={change.isPending} disabled={budget === row.tcam_budget}>
          Set budget
        </Button>
      </Group>
      <div role="status">
        {change.isPending && (
          <Text size="sm" c="dimmed" mt={4}>
            Under way: the planner computes the table, and the switches confirm it.
          </Text>
        )}
      </div>
      {change.isError && (
        <Stack gap={4} mt="xs">
          <ProblemAlert problem={change.error} />
          <Text size="sm">
            Nothing was changed. Choose a larger number, or let tables be merged: the page{" "}
            <Anchor component={Link} to="/budgets">
              Budgets
            </Anchor>{" "}
            has the methods.
          </Text>
        </Stack>
      )}
    </form>
  );
}
