import { Anchor, Button, Group, NumberInput, Stack, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { type NetworkRequest, useNetworkRequest } from "@/api/request";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { title } from "../model/network";
import { text } from "../text";
import { BudgetCurve } from "./BudgetCurve";

/** Budget of a switch, a form to change it, and the cost of other budgets. */
export function Budget({ row }: { row: Schemas["Switch"] }) {
  const may = useMay("switches", "PATCH");
  return (
    <Stack gap="sm">
      <Text size="sm" component="div">
        {text.budget.status(row.tcam_budget, row.entries, row.exact_entries, row.capacity)}{" "}
        <HelpIcon term="budget" />
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
      what: text.budget.saved(title(row)),
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
          label={text.budget.label}
          description={text.budget.help}
          placeholder={text.unlimited}
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
          {text.budget.set}
        </Button>
      </Group>
      <div role="status">
        {change.isPending && (
          <Text size="sm" c="dimmed" mt={4}>
            {text.budget.working}
          </Text>
        )}
      </div>
      {change.isError && (
        <Stack gap={4} mt="xs">
          <ProblemAlert problem={change.error} />
          <Text size="sm">
            {text.budget.refused(
              <Anchor component={Link} to="/budgets">
                {text.budget.budgetsPage}
              </Anchor>,
            )}
          </Text>
        </Stack>
      )}
    </form>
  );
}
