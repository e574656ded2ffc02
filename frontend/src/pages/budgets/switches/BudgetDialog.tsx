import { Button, Checkbox, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { formatCount, readBudget, type Switch } from "../figures";
import { text } from "../text";
import { type Refusal, refusalsOf } from "./refusals";
import { readAll } from "./switches";

const { dialog: texts } = text;
const PATIENCE = 30; // s, for which one call waits
const NAMES = 12; // of switches in the dialog
const CHANGES = 8; // of tables in the result of the check

/** Set one budget for some switches. It is checked first. Switches for which it fails are named; the others get it. */
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
  const [typed, setTyped] = useState<string | number>(suggested ?? (same ? (first?.tcam_budget ?? "") : ""));
  const [unlimited, setUnlimited] = useState(suggested === undefined && same && first?.tcam_budget === null);
  const queries = useQueryClient();
  const budget = unlimited ? null : readBudget(typed);
  const ready = unlimited || budget !== null;
  const names = switches.map(({ name }) => name);

  const check = useMutation({
    mutationFn: async (wanted: readonly string[]) => {
      const cost = await post(wanted, budget, true);
      return { cost, refused: refusalsOf(wanted, cost) };
    },
  });
  const apply = useMutation({
    mutationFn: (wanted: readonly string[]) => setBudgets(wanted, budget),
    onSuccess: ({ failed }, set) => {
      if (failed.length > 0) return;
      notifications.show({ message: texts.saved(set), color: "green" });
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
    <Modal
      opened
      onClose={onClose}
      title={texts.title(names)}
      size="lg"
      closeButtonProps={{ "aria-label": text.close }}
    >
      <form onSubmit={submit}>
        <Stack>
          {names.length > 1 && (
            <Text size="sm" c="dimmed">
              {texts.names(names.slice(0, NAMES), names.length - NAMES)}
            </Text>
          )}
          <NumberInput
            label={texts.entries}
            description={describeTables(switches)}
            value={typed}
            onChange={(value) => {
              setTyped(value);
              changed();
            }}
            min={0}
            max={10_000_000}
            allowDecimal={false}
            allowNegative={false}
            disabled={unlimited}
            error={!unlimited && typed !== "" && budget === null ? texts.entriesRule : undefined}
            data-autofocus
          />
          <Checkbox
            label={texts.unlimited}
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
              title={texts.failed(apply.data.failed.length, apply.data.items)}
              refused={apply.data.failed}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {apply.data ? text.close : texts.cancel}
            </Button>
            {!apply.data && (
              <Button
                type="submit"
                disabled={!ready || (check.data && holding.length === 0)}
                loading={check.isPending || apply.isPending}
              >
                {!check.data
                  ? texts.check
                  : refused.size > 0 && holding.length > 0
                    ? texts.setFitting(holding.length)
                    : texts.set}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Result of the check: whether the budgets fit, and the tables that change. */
function CheckResult({ cost, refused, of }: { cost: Schemas["Cost"]; refused: Refusal[]; of: number }) {
  const merges = cost.entries.some(({ before, after }) => after < before);
  const changes = cost.entries
    .slice(0, CHANGES)
    .map(({ switch: name, before, after }) => texts.change(name, formatCount(before), formatCount(after)));
  const more = cost.entries.length - CHANGES;
  return (
    <Stack gap="xs" role="status" data-check-result>
      {refused.length > 0 ? (
        <Refusals title={texts.fitsNot(refused.length, of)} refused={refused} />
      ) : (
        <Text size="sm">{texts.fits(of)}</Text>
      )}
      {cost.entries.length > 0 && (
        <Text size="sm">{merges ? texts.merges(changes, more) : texts.changes(changes, more)}</Text>
      )}
    </Stack>
  );
}

function Refusals({ title, refused }: { title: string; refused: Refusal[] }) {
  return (
    <ProblemAlert
      problem={{
        title,
        detail: texts.remedy,
        status: 0,
        errors: refused.map(({ name, detail }) => ({ pointer: `/${name}`, code: "budget", detail })),
      }}
    />
  );
}

/** The current number of entries: of the switch, or the largest of several. */
function describeTables(switches: readonly Switch[]): string {
  if (switches.length === 1 && switches[0]) {
    const { entries, exact_entries: exact } = switches[0];
    return texts.current(formatCount(entries), formatCount(exact));
  }
  const most = Math.max(0, ...switches.map(({ entries }) => entries));
  return texts.currentLargest(formatCount(most));
}

async function post(names: readonly string[], budget: number | null, dry: boolean): Promise<Schemas["Cost"]> {
  const body = { budgets: Object.fromEntries(names.map((name) => [name, budget])) };
  const { data } = await api.POST("/api/v1/switches/budgets/", { body, params: { query: { dry_run: dry } } });
  return data as Schemas["Cost"];
}

/** Set the budgets, wait until all requests end, and return those that failed. */
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
