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
import { AggregationRunState } from "./AggregationRunState";
import { ResultsView } from "./ResultsView";
import { type AggregationRun, UNDER_WAY, useRun } from "./runs";

/** One run of aggregation, and the way back from what it installed. */
export function RunPanel({ id, onOpen }: { id: string; onOpen: (id: string | null) => void }) {
  const found = useRun(id);
  return (
    <SidePanel opened={id !== ""} onClose={() => onOpen(null)} title={`Run ${id} of aggregation`} size={680}>
      {found.error ? (
        <ProblemAlert problem={found.error} retry={() => void found.refetch()} />
      ) : found.data ? (
        <Details run={found.data} onOpen={onOpen} />
      ) : (
        <Loader role="status" size="sm" aria-label="Loading" />
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
        <Text size="sm">{run.reason || (busy ? "It is being worked out and installed." : "")}</Text>
      </Group>
      <Facts
        facts={[
          ["Method", run.method],
          ["Why", WHY[run.trigger] ?? run.trigger],
          ["Share of the samples", run.sampling],
          ["Events looked at", run.events?.toLocaleString()],
          ["Asked for", <Time key="asked" at={run.created_at} />],
          ["Ended", run.ended_at && <Time at={run.ended_at} />],
          [
            "Request",
            run.request && (
              <Anchor component={Link} to={`/requests?row=${tail(run.request)}`}>
                Request {tail(run.request)}
              </Anchor>
            ),
          ],
          [
            "Takes back",
            run.reverts && (
              <Anchor component="button" onClick={() => onOpen(tail(run.reverts ?? ""))}>
                Run {tail(run.reverts)}
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

const WHY: Record<string, string> = {
  operator: "somebody asked for it",
  periodic: "by the policy's period",
  revert: "to go back",
};

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
        Go back to before…
      </Button>
      <ConfirmDialog
        opened={asking}
        title={`Go back to before run ${run.id}?`}
        action="Go back"
        busy={revert.isPending}
        problem={revert.error}
        onConfirm={() => revert.mutate()}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">
          The merged entries that were there before the run are installed again
          {changed > 0 ? ` at the ${changed} ${changed === 1 ? "switch" : "switches"} it changed` : ""}, as
          far as they still fit. Subscriptions get the events they ask for all the time.
        </Text>
      </ConfirmDialog>
    </>
  );
}
