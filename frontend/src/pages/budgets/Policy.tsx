import { Button, Group, Loader, NumberInput, Radio, Stack, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { ended, type NetworkRequest } from "@/api/request";
import { Confirm } from "@/common/Confirm";
import { Facts } from "@/common/Facts";
import { ProblemAlert } from "@/common/ProblemAlert";
import { ABOUT, count, METHODS } from "./figures";
import { type PolicyNow, usePolicy } from "./policy";

const FIELDS = ["method", "sampling", "gain", "period"] as const;
type Change = Schemas["PatchedPolicyChangeRequest"];

/** How tables are kept within budgets. */
export function Policy() {
  const found = usePolicy();
  const may = useMay("aggregation", "PATCH");
  if (found.error && !found.data)
    return <ProblemAlert problem={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  return may ? <Form policy={found.data} /> : <Told policy={found.data} />;
}

function Told({ policy: { method, sampling, gain, period } }: { policy: PolicyNow }) {
  return (
    <Facts
      facts={[
        ["Method", `${method}: ${ABOUT[method] ?? ""}`],
        ["Share of the samples", sampling],
        ["Gain of a periodic run", `${gain * 100} % at least`],
        ["Periodic runs", period === null ? "none" : `every ${period} s`],
      ]}
    />
  );
}

function Form({ policy }: { policy: PolicyNow }) {
  const [method, setMethod] = useState<string>(policy.method);
  const [sampling, setSampling] = useState<string | number>(policy.sampling);
  const [gain, setGain] = useState<string | number>(policy.gain * 100);
  const [periodic, setPeriodic] = useState(policy.period !== null);
  const [period, setPeriod] = useState<string | number>(policy.period ?? 300);
  const [cost, setCost] = useState<Schemas["Cost"] | null>(null);
  const queries = useQueryClient();

  const wanted: Change = {
    method: method as Change["method"],
    sampling: Number(sampling),
    gain: Number(gain) / 100,
    period: periodic ? Number(period) : null,
  };
  const change = Object.fromEntries(
    FIELDS.filter((name) => wanted[name] !== policy[name]).map((name) => [name, wanted[name]]),
  ) as Change;
  const changed = Object.keys(change).length > 0;

  const check = useMutation({
    mutationFn: async () =>
      (await api.PATCH("/api/v1/aggregation/", { body: change, params: { query: { dry_run: true } } }))
        .data as unknown as Schemas["Cost"],
    onSuccess: setCost,
  });
  const save = useMutation({
    mutationFn: async () => {
      const { data } = await api.PATCH("/api/v1/aggregation/", { body: change });
      if (data && "state" in data && "stage" in data) await ended(data as NetworkRequest);
    },
    onSuccess: () => {
      setCost(null);
      notifications.show({ message: "The policy is changed.", color: "green" });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["/api/v1/aggregation/"] }),
  });
  const problem = check.error ?? save.error;
  const errors = problem ? byField(asProblem(problem), FIELDS) : {};

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ("method" in change) check.mutate();
    else save.mutate();
  };

  return (
    <form onSubmit={submit}>
      <Stack maw={620}>
        <Radio.Group label="Method" value={method} onChange={setMethod} error={errors.method}>
          <Stack gap="xs" mt={4}>
            {["none", ...METHODS].map((one) => (
              <Radio key={one} value={one} label={one} description={ABOUT[one]} />
            ))}
          </Stack>
        </Radio.Group>
        <NumberInput
          label="Share of the samples that runs learn from"
          description="Above 0, 1 at most. A smaller share makes runs quicker."
          value={sampling}
          onChange={setSampling}
          min={0}
          max={1}
          step={0.1}
          decimalScale={3}
          error={errors.sampling}
        />
        <Switch
          label="Runs by period"
          description="Only methods that look at past events have runs."
          checked={periodic}
          onChange={({ currentTarget }) => setPeriodic(currentTarget.checked)}
        />
        {periodic && (
          <>
            <NumberInput
              label="Period"
              description="10 seconds to 7 days."
              suffix=" s"
              value={period}
              onChange={setPeriod}
              min={10}
              max={604_800}
              allowDecimal={false}
              error={errors.period}
            />
            <NumberInput
              label="Gain that a periodic run must bring"
              description="The share of what is needless that it must save to change tables."
              suffix=" %"
              value={gain}
              onChange={setGain}
              min={0}
              max={100}
              error={errors.gain}
            />
          </>
        )}
        <ProblemAlert problem={cost ? null : problem} />
        <Group>
          <Button type="submit" disabled={!changed} loading={check.isPending || (save.isPending && !cost)}>
            Save
          </Button>
          {!changed && (
            <Text size="sm" c="dimmed">
              It is as it was saved.
            </Text>
          )}
        </Group>
      </Stack>
      <Confirm
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
      </Confirm>
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
        .map(({ switch: name, before, after }) => `${name} ${count(before)} → ${count(after)}`)
        .join(", ")}
      {cost.entries.length > 8 ? ", …" : ""}
    </Text>
  );
}
