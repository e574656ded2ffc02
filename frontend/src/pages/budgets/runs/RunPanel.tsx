import { Anchor, Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Facts } from "@/common/layout/Facts";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { SidePanel } from "@/common/layout/SidePanel";
import { text } from "../text";
import { AggregationRunState } from "./AggregationRunState";
import { ResultsView } from "./ResultsView";
import { type AggregationRun, UNDER_WAY, useRun } from "./runs";

const { run: texts } = text;

/** Details of one aggregation run, with a button to revert it. */
export function RunPanel({ id, onOpen }: { id: string; onOpen: (id: string | null) => void }) {
  const found = useRun(id);
  return (
    <SidePanel opened={id !== ""} onClose={() => onOpen(null)} title={texts.title(id)} size={680}>
      {found.error ? (
        <ProblemAlert problem={found.error} retry={() => void found.refetch()} />
      ) : found.data ? (
        <Details run={found.data} onOpen={onOpen} />
      ) : (
        <Loader role="status" size="sm" aria-label={text.loading} />
      )}
    </SidePanel>
  );
}

const tail = (url: string) => url.split("/").at(-2) ?? "";

function Details({ run, onOpen }: { run: AggregationRun; onOpen: (id: string) => void }) {
  const busy = UNDER_WAY.includes(run.state);
  const may = useMay("aggregation/runs", "POST");
  return (
    <Stack>
      <Group gap="sm" role="status">
        <AggregationRunState state={run.state} />
        {busy && <Loader size="xs" aria-hidden />}
        <Text size="sm">{run.reason || (busy ? texts.working : "")}</Text>
      </Group>
      <Facts
        facts={[
          [texts.method, run.method],
          [texts.trigger, text.runs.triggers[run.trigger] ?? run.trigger],
          [texts.sampling, run.sampling],
          [texts.samples, run.events?.toLocaleString()],
          [texts.created, <Time key="created" at={run.created_at} />],
          [texts.ended, run.ended_at && <Time at={run.ended_at} />],
          [
            texts.request,
            run.request && (
              <Anchor component={Link} to={`/requests?row=${tail(run.request)}`}>
                {texts.requestLink(tail(run.request))}
              </Anchor>
            ),
          ],
          [
            texts.reverts,
            run.reverts && (
              <Anchor component="button" onClick={() => onOpen(tail(run.reverts ?? ""))}>
                {texts.runLink(tail(run.reverts))}
              </Anchor>
            ),
          ],
        ]}
      />
      {run.results && <ResultsView results={run.results} />}
      {may && run.state === "succeeded" && run.trigger !== "revert" && <Revert run={run} onOpen={onOpen} />}
    </Stack>
  );
}

function Revert({ run, onOpen }: { run: AggregationRun; onOpen: (id: string) => void }) {
  const [asking, setAsking] = useState(false);
  const queries = useQueryClient();
  const revert = useMutation({
    mutationFn: async () =>
      (await api.POST("/api/v1/aggregation/runs/{id}/revert/", { params: { path: { id: String(run.id) } } }))
        .data,
    onSuccess: (made) => {
      setAsking(false);
      queries.invalidateQueries({ queryKey: ["/api/v1/aggregation/runs/"] });
      if (made) onOpen(String(made.id));
    },
  });
  const changed = run.results?.switches.filter(({ before, after }) => before !== after).length ?? 0;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)} w="fit-content">
        {texts.revert}
      </Button>
      <ConfirmDialog
        opened={asking}
        title={texts.revertTitle(run.id)}
        action={texts.revertAction}
        busy={revert.isPending}
        problem={revert.error}
        onConfirm={() => revert.mutate()}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">{texts.revertHelp(changed)}</Text>
      </ConfirmDialog>
    </>
  );
}
