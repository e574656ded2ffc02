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
import { formatCount, METHODS } from "../figures";
import { text } from "../text";
import { POLICY, type PolicyNow, usePolicy } from "./policy";
import { changeToSend, type Field, fieldsOf, findMistakes, formatValue, percent } from "./policyForm";

const FIELDS = ["method", "sampling", "gain", "period"] as const;
const LABELS = text.policy.fields;
const SHOWN = 8; // switches in the dialog

/** The aggregation policy: a form for those who may change it, otherwise its values. */
export function Policy() {
  const found = usePolicy();
  const may = useMay("aggregation", "PATCH");
  if (found.error && !found.data)
    return <ProblemAlert problem={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loader role="status" size="sm" aria-label={text.loading} />;
  return may ? <Form policy={found.data} /> : <PolicyFacts policy={found.data} />;
}

function PolicyFacts({ policy: { method, sampling, gain, period } }: { policy: PolicyNow }) {
  return (
    <Facts
      facts={[
        [LABELS.method, text.policy.methodFact(method, text.methods[method] ?? "")],
        [LABELS.sampling, sampling],
        [LABELS.gain, text.policy.gainValue(percent(gain))],
        [text.policy.periodicRuns, formatValue("period", period)],
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

  /** Send the change for the newest policy. Null: nothing was sent, because another user changed a field too. */
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
      notifications.show({ message: text.policy.saved, color: "green" });
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
              <Radio key={one} value={one} label={one} description={text.methods[one]} />
            ))}
          </Stack>
        </Radio.Group>
        {conflict("method")}
        <NumberInput
          label={LABELS.sampling}
          description={text.policy.samplingHelp}
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
          label={text.policy.periodic}
          description={text.policy.periodicHelp}
          checked={period !== null}
          onChange={({ currentTarget }) => setPeriodic(currentTarget.checked)}
        />
        {period !== null && (
          <NumberInput
            label={LABELS.period}
            description={text.policy.periodHelp}
            suffix={text.policy.secondsSuffix}
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
            description={text.policy.gainHelp}
            suffix={text.policy.percentSuffix}
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
            {text.policy.save}
          </Button>
          <Text size="sm" c="dimmed" role="status">
            {conflicts.length > 0
              ? text.policy.chooseFirst
              : refused.length > 0
                ? text.policy.missing(refused)
                : changed
                  ? ""
                  : text.policy.unchanged}
          </Text>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={cost !== null}
        title={text.policy.confirm(method)}
        action={text.policy.confirmAction}
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
  if (cost.entries.length === 0) return <Text size="sm">{text.policy.noTableChanges}</Text>;
  const changes = cost.entries
    .slice(0, SHOWN)
    .map(({ switch: name, before, after }) =>
      text.policy.change(name, formatCount(before), formatCount(after)),
    );
  return <Text size="sm">{text.policy.tablesChange(cost.entries.length, changes)}</Text>;
}
