import { Button, Group, Loader, NumberInput, Radio, Stack, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { type NetworkRequest, waitForEnd } from "@/api/request";
import { Conflict } from "@/common/forms/Conflict";
import { writeConditionally } from "@/common/forms/conditionalWrite";
import { useEdits } from "@/common/forms/edits";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Facts } from "@/common/layout/Facts";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { ABOUT, formatCount, METHODS } from "../figures";
import { POLICY, type PolicyNow, usePolicy } from "./policy";
import { changeToSend, type Field, fieldsOf, findMistakes, formatValue, LABELS, percent } from "./policyForm";

const FIELDS = ["method", "sampling", "gain", "period"] as const;

/** How tables are kept within budgets. */
export function Policy() {
  const found = usePolicy();
  const may = useMay("aggregation", "PATCH");
  if (found.error && !found.data)
    return <ProblemAlert problem={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  return may ? <Form policy={found.data} /> : <PolicyFacts policy={found.data} />;
}

function PolicyFacts({ policy: { method, sampling, gain, period } }: { policy: PolicyNow }) {
  return (
    <Facts
      facts={[
        ["Method", `${method}: ${ABOUT[method] ?? ""}`],
        ["Share of the samples", sampling],
        ["Gain of a periodic run", `${percent(gain)} % at least`],
        ["Periodic runs", period === null ? "none" : `every ${period} s`],
      ]}
    />
  );
}

function Form({ policy }: { policy: PolicyNow }) {
  const { edits, values, edit, takeTheirs, keepMine, clear } = useEdits(fieldsOf(policy));
  const { method, sampling, period, gain } = values;
  const [lastPeriod, setLastPeriod] = useState<string | number>(period ?? 300);
  const [cost, setCost] = useState<Schemas["Cost"] | null>(null);
  const queries = useQueryClient();
  const { change, conflicts } = changeToSend(edits, policy);
  const changed = Object.keys(change).length > 0;
  const empty = findMistakes(values);

  /** Sends by the newest policy; null, and nothing is sent, where somebody else is to be heard first. */
  const send = (dry: boolean) =>
    writeConditionally(
      () => api.GET("/api/v1/aggregation/"),
      (now: PolicyNow) => {
        queries.setQueryData(POLICY, now);
        const { change: body, conflicts: others } = changeToSend(edits, now);
        if (others.length === 0 && Object.keys(body).length > 0) return body;
        setCost(null);
        return null;
      },
      async (body, headers) => {
        const params = { query: dry ? { dry_run: true } : {} };
        return (await api.PATCH("/api/v1/aggregation/", { body, params, headers })).data;
      },
    );
  const check = useMutation({
    mutationFn: async () => (await send(true)) as unknown as Schemas["Cost"] | null,
    onSuccess: setCost,
  });
  const save = useMutation({
    mutationFn: async () => {
      const answer = await send(false);
      if (answer && "state" in answer && "stage" in answer) await waitForEnd(answer as NetworkRequest);
      return answer !== null;
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: POLICY });
      if (!saved) return;
      setCost(null);
      clear();
      notifications.show({ message: "The policy is changed.", color: "green" });
    },
    onError: () => queries.invalidateQueries({ queryKey: POLICY }),
  });
  const problem = check.error ?? save.error;
  const errors = { ...(problem ? byField(asProblem(problem), FIELDS) : {}), ...empty };
  const refused = Object.keys(empty).map((name) => LABELS[name as Field]);
  const busy = check.isPending || save.isPending;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (refused.length > 0 || conflicts.length > 0) return;
    if ("method" in change) check.mutate();
    else save.mutate();
  };
  const setPeriod = (value: string | number) => {
    setLastPeriod(value);
    edit("period", value);
  };
  const setPeriodic = (on: boolean) => edit("period", on ? (policy.period ?? lastPeriod) : null);
  const conflict = (field: Field) =>
    conflicts.includes(field) && (
      <Conflict
        field={LABELS[field]}
        theirs={formatValue(field, fieldsOf(policy)[field])}
        onTheirs={() => takeTheirs(field)}
        onMine={() => keepMine(field)}
      />
    );

  return (
    <form onSubmit={submit}>
      <Stack maw={620}>
        <Radio.Group
          label={LABELS.method}
          value={method}
          onChange={(value) => edit("method", value)}
          error={errors.method}
        >
          <Stack gap="xs" mt={4}>
            {["none", ...METHODS].map((one) => (
              <Radio key={one} value={one} label={one} description={ABOUT[one]} />
            ))}
          </Stack>
        </Radio.Group>
        {conflict("method")}
        <NumberInput
          label={LABELS.sampling}
          description="Above 0, 1 at most. A smaller share makes runs quicker."
          value={sampling}
          onChange={(value) => edit("sampling", value)}
          min={0}
          max={1}
          step={0.1}
          decimalScale={3}
          error={errors.sampling}
        />
        {conflict("sampling")}
        <Switch
          label="Runs by period"
          description="Only methods that look at past events have runs."
          checked={period !== null}
          onChange={({ currentTarget }) => setPeriodic(currentTarget.checked)}
        />
        {period !== null && (
          <NumberInput
            label={LABELS.period}
            description="10 seconds to 7 days."
            suffix=" s"
            value={period}
            onChange={setPeriod}
            min={10}
            max={604_800}
            allowDecimal={false}
            error={errors.period}
          />
        )}
        {conflict("period")}
        {period !== null && (
          <NumberInput
            label={LABELS.gain}
            description="The share of what is needless that it must save to change tables."
            suffix=" %"
            value={gain}
            onChange={(value) => edit("gain", value)}
            min={0}
            max={100}
            error={errors.gain}
          />
        )}
        {conflict("gain")}
        <ProblemAlert problem={cost ? null : problem} />
        <Group>
          <Button
            type="submit"
            disabled={!changed || refused.length > 0 || conflicts.length > 0}
            loading={busy && !cost}
          >
            Save
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {conflicts.length > 0
              ? "Say first which is to hold, theirs or yours."
              : refused.length > 0
                ? `To fill in first: ${refused.join(", ")}.`
                : changed
                  ? ""
                  : "It is as it was saved."}
          </Text>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={cost !== null}
        title={`Change the method to ${method}?`}
        action="Change the method"
        busy={save.isPending}
        problem={save.error}
        disabled={cost !== null && !cost.accepted}
        onConfirm={() => save.mutate()}
        onClose={() => setCost(null)}
      >
        {cost && <Cost cost={cost} />}
      </ConfirmDialog>
    </form>
  );
}

function Cost({ cost }: { cost: Schemas["Cost"] }) {
  const refused = cost.results.find(({ accepted }) => !accepted);
  if (refused) return <Text size="sm">{refused.detail}</Text>;
  if (cost.entries.length === 0) return <Text size="sm">No table changes at once.</Text>;
  return (
    <Text size="sm">
      {cost.entries.length} tables change at once:{" "}
      {cost.entries
        .slice(0, 8)
        .map(({ switch: name, before, after }) => `${name} ${formatCount(before)} → ${formatCount(after)}`)
        .join(", ")}
      {cost.entries.length > 8 ? ", …" : ""}
    </Text>
  );
}
