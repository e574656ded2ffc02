import { Alert, Button, Group, Loader, NumberInput, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { RUNNING, type RunningMethod } from "../figures";
import { usePolicy } from "../policy/policy";
import { text } from "../text";
import { ResultsView } from "./ResultsView";
import type { AggregationRun } from "./runs";

/** Form to test a run without changes, and to start one. */
export function RunForm({ busy, onRun }: { busy: boolean; onRun: (id: number) => void }) {
  const { data: policy } = usePolicy();
  const [asked, setAsked] = useAddress("method");
  const [sampling, setSampling] = useState<string | number>("");
  const queries = useQueryClient();
  const method =
    RUNNING.find((one) => one === asked) ?? RUNNING.find((one) => one === policy?.method) ?? "fa-pb";
  const share = sampling === "" ? undefined : Number(sampling);
  const wrong = share !== undefined && !(share > 0 && share <= 1);
  const body = { method: method as RunningMethod, ...(share === undefined ? {} : { sampling: share }) };
  const tried = useMutation({
    mutationFn: async () =>
      (await api.POST("/api/v1/aggregation/runs/", { body, params: { query: { dry_run: true } } }))
        .data as unknown as Schemas["WhatIfAnswer"],
  });
  const run = useMutation({
    mutationFn: async () =>
      (await api.POST("/api/v1/aggregation/runs/", { body })).data as unknown as AggregationRun,
    onSuccess: (made) => {
      queries.invalidateQueries({ queryKey: ["/api/v1/aggregation/runs/"] });
      tried.reset();
      onRun(made.id);
    },
  });
  const changed = () => {
    tried.reset();
    run.reset();
  };
  return (
    <Stack gap="sm">
      <Group align="start" gap="xs">
        <Select
          label={text.runForm.method}
          description={text.methods[method]}
          inputWrapperOrder={["label", "input", "description"]}
          data={[...RUNNING]}
          value={method}
          onChange={(value) => {
            setAsked(value);
            changed();
          }}
          allowDeselect={false}
          w={260}
        />
        <NumberInput
          label={text.runForm.sampling}
          placeholder={policy ? String(policy.sampling) : ""}
          value={sampling}
          onChange={(value) => {
            setSampling(value);
            changed();
          }}
          min={0}
          max={1}
          step={0.1}
          decimalScale={3}
          error={wrong ? text.samplingRule : undefined}
          w={210}
        />
        <Button
          variant="default"
          mt={25}
          onClick={() => tried.mutate()}
          loading={tried.isPending}
          disabled={wrong}
        >
          {text.runForm.test}
        </Button>
        <Button mt={25} onClick={() => run.mutate()} loading={run.isPending} disabled={wrong || busy}>
          {text.runForm.start}
        </Button>
      </Group>
      {busy && <Text size="sm">{text.runForm.busy}</Text>}
      {tried.isPending && (
        <Group gap={6} role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{text.runForm.testing(method)}</Text>
        </Group>
      )}
      <ProblemAlert problem={tried.error} retry={() => tried.mutate()} />
      <ProblemAlert problem={run.error} />
      {tried.data && (
        <Alert variant="light" title={text.runForm.tested(method)} data-tried>
          <ResultsView results={tried.data} unmet={tried.data.unmet} />
        </Alert>
      )}
    </Stack>
  );
}
