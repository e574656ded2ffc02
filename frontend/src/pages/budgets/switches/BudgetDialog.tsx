import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { formatCount, readBudget, type Switch } from "../figures";
import { type Refusal, refusalsOf } from "./refusals";
import { readAll } from "./switches";

const PATIENCE = 30; // s, of one question

/** Another budget for some switches: checked first, then set; those that fail are named, and the rest holds. */
export function BudgetDialog({
  switches,
  suggested,
  onClose,
}: {
  switches: readonly Switch[];
  suggested?: number;
  onClose: () => void;
}) {
  const first = switches[0];
  const same = switches.every(({ tcam_budget }) => tcam_budget === first?.tcam_budget);
  const [text, setText] = useState<string | number>(suggested ?? (same ? (first?.tcam_budget ?? "") : ""));
  const [unlimited, setUnlimited] = useState(suggested === undefined && same && first?.tcam_budget === null);
  const queries = useQueryClient();
  const budget = unlimited ? null : readBudget(text);
  const ready = unlimited || budget !== null;
  const names = switches.map(({ name }) => name);
  const title = names.length === 1 ? `TCAM budget of ${names[0]}` : `TCAM budget of ${names.length} switches`;

  const check = useMutation({
    mutationFn: async (wanted: readonly string[]) => {
      const cost = await post(wanted, budget, true);
      return { cost, refused: refusalsOf(wanted, cost) };
    },
  });
  const apply = useMutation({
    mutationFn: (wanted: readonly string[]) => setBudgets(wanted, budget),
    onSuccess: ({ failed, items }) => {
      if (failed.length > 0) return;
      notifications.show({
        message: `${items === 1 ? names[0] : `${items} switches`}: budget set.`,
        color: "green",
      });
      onClose();
    },
    onSettled: () => {
      queries.invalidateQueries({ queryKey: ["/api/v1/switches/"] });
      queries.invalidateQueries({ queryKey: ["/api/v1/requests/"] });
    },
  });
  const refused = new Set(check.data?.refused.map(({ name }) => name));
  const holding = names.filter((name) => !refused.has(name));
  const changed = () => {
    check.reset();
    apply.reset();
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    if (check.data) apply.mutate(holding);
    else check.mutate(names);
  };

  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          {names.length > 1 && (
            <Text size="sm" c="dimmed">
              {names.slice(0, 12).join(", ")}
              {names.length > 12 ? ` and ${names.length - 12} more` : ""}
            </Text>
          )}
          <NumberInput
            label="Content entries that a table may hold"
            description={now(switches)}
            value={text}
            onChange={(value) => {
              setText(value);
              changed();
            }}
            min={0}
            max={10_000_000}
            allowDecimal={false}
            allowNegative={false}
            disabled={unlimited}
            error={
              !unlimited && text !== "" && budget === null
                ? "A whole number from 0 to 10,000,000."
                : undefined
            }
            data-autofocus
          />
          <Checkbox
            label="Any number: no budget"
            checked={unlimited}
            onChange={(event) => {
              setUnlimited(event.currentTarget.checked);
              changed();
            }}
          />
          <ProblemAlert problem={check.error ?? apply.error} />
          {check.data && !apply.data && <CheckResult {...check.data} of={names.length} />}
          {apply.data && apply.data.failed.length > 0 && (
            <Refusals
              title={`${apply.data.failed.length} of ${apply.data.items} failed; the others have their budget`}
              refused={apply.data.failed}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {apply.data ? "Close" : "Cancel"}
            </Button>
            {!apply.data && (
              <Button
                type="submit"
                disabled={!ready || (check.data && holding.length === 0)}
                loading={check.isPending || apply.isPending}
              >
                {!check.data
                  ? "Check"
                  : refused.size > 0 && holding.length > 0
                    ? `Set the ${holding.length} that hold`
                    : "Set budget"}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What the check found. */
function CheckResult({ cost, refused, of }: { cost: Schemas["Cost"]; refused: Refusal[]; of: number }) {
  const fewer = cost.entries.filter(({ before, after }) => after < before);
  return (
    <Stack gap="xs" role="status" data-check-result>
      {refused.length > 0 ? (
        <Refusals
          title={of === 1 ? "It does not hold" : `${refused.length} of ${of} do not hold`}
          refused={refused}
        />
      ) : (
        <Text size="sm">{of === 1 ? "It holds." : `All ${of} hold.`}</Text>
      )}
      {cost.entries.length > 0 && (
        <Text size="sm">
          {fewer.length > 0 ? "Entries are merged to make them fit: " : "Entries change: "}
          {cost.entries
            .slice(0, 8)
            .map(
              ({ switch: name, before, after }) => `${name} ${formatCount(before)} → ${formatCount(after)}`,
            )
            .join(", ")}
          {cost.entries.length > 8 ? ` and ${cost.entries.length - 8} switches more` : ""}
        </Text>
      )}
    </Stack>
  );
}

function Refusals({ title, refused }: { title: string; refused: Refusal[] }) {
  return (
    <ProblemAlert
      problem={{
        title,
        detail: "A larger budget, or another aggregation method (tab Policy), gives room.",
        status: 0,
        errors: refused.map(({ name, detail }) => ({ pointer: `/${name}`, code: "budget", detail })),
      }}
    />
  );
}

function now(switches: readonly Switch[]): string {
  if (switches.length === 1 && switches[0]) {
    const { entries, exact_entries: exact } = switches[0];
    return `It holds ${formatCount(entries)} entries now; without aggregation it would be ${formatCount(exact)}.`;
  }
  const most = Math.max(0, ...switches.map(({ entries }) => entries));
  return `The fullest of them holds ${formatCount(most)} entries now.`;
}

async function post(names: readonly string[], budget: number | null, dry: boolean): Promise<Schemas["Cost"]> {
  const body = { budgets: Object.fromEntries(names.map((name) => [name, budget])) };
  const { data } = await api.POST("/api/v1/switches/budgets/", { body, params: { query: { dry_run: dry } } });
  return data as Schemas["Cost"];
}

/** Sets the budgets, waits for the end of all, and tells those that failed. */
async function setBudgets(names: readonly string[], budget: number | null) {
  let call = (await post(names, budget, false)) as unknown as Schemas["Operation"];
  while (!call.finished) {
    const { data } = await api.GET("/api/v1/operations/{id}/", {
      params: { path: { id: String(call.id) } },
      headers: { Prefer: `wait=${PATIENCE}` },
    });
    if (data) call = data;
  }
  const rows =
    call.states.failed > 0
      ? await readAll<Schemas["Request"]>(call.results, { state: "failed", ordering: "index" })
      : [];
  const failed = rows.map(({ object, problem }) => ({
    name: object?.name ?? "",
    detail: problem?.detail ?? "",
  }));
  return { items: call.items, failed };
}
