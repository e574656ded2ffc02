import { Alert, Button, Group, Loader, Progress, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";

const SAID: Record<string, string> = {
  absent: "No launcher stands by.",
  offered: "It is ready to be started.",
  starting: "It is being started.",
  running: "It runs.",
  stopping: "It is being ended.",
  failed: "It could not be started.",
};

/** The demo network as it stands, read anew while it changes. */
export function useDemo() {
  useLiveRefresh(["demo"], ["demo"]);
  return useQuery({
    queryKey: ["demo"],
    refetchInterval: 2_000,
    queryFn: async () => (await api.GET("/api/v1/demo/")).data,
  });
}

/** The demo network: started, followed, and ended. */
export function Demo() {
  const may = useMay("demo", "POST");
  const queries = useQueryClient();
  const demo = useDemo();
  const ask = useMutation({
    mutationFn: async (action: "start" | "stop") =>
      (await api.POST("/api/v1/demo/", { body: { action } })).data,
    onSettled: () => queries.invalidateQueries({ queryKey: ["demo"] }),
  });
  if (demo.error) return <ProblemAlert problem={demo.error} retry={() => demo.refetch()} />;
  if (!demo.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  const { state, step, progress, reason, may_start: mayStart, may_stop: mayStop, fixed } = demo.data;
  return (
    <Stack gap="sm" data-demo={state}>
      <Title order={2}>Demo network</Title>
      <Text role="status">
        {SAID[state]} {state === "starting" && step}
      </Text>
      {state === "starting" && (
        <Progress value={100 * progress} aria-label="Progress of the demo's start" animated />
      )}
      {reason && (
        <Alert color={state === "failed" ? "red" : "orange"} variant="light">
          <InlineMarkup text={reason} />
        </Alert>
      )}
      {fixed && state === "running" && (
        <Text size="sm" c="dimmed">
          It began with make run, and ends with it.
        </Text>
      )}
      <ProblemAlert problem={ask.error} />
      {may ? (
        <Group>
          {mayStart && (
            <Button loading={ask.isPending} onClick={() => ask.mutate("start")}>
              {state === "failed" ? "Try again" : "Start the demo network"}
            </Button>
          )}
          {mayStop && (
            <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate("stop")}>
              End it
            </Button>
          )}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          Operators can start it; you may look.
        </Text>
      )}
    </Stack>
  );
}
