import { Alert, Button, Group, Loader, Progress, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { text } from "./text";

/** Query for the state of the demo network. */
export function useDemo() {
  useLiveRefresh(["demo"], ["demo"]);
  return useQuery({
    queryKey: ["demo"],
    refetchInterval: 2_000,
    queryFn: async () => (await api.GET("/api/v1/demo/")).data,
  });
}

/** Control of the demo network: start, progress and stop. */
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
  if (!demo.data) return <Loader role="status" size="sm" aria-label={common.loading} />;
  const { state, step, progress, reason, may_start: mayStart, may_stop: mayStop, fixed } = demo.data;
  return (
    <Stack gap="sm" data-demo={state}>
      <Title order={2}>{text.demo.title}</Title>
      <Text role="status">
        {text.demo.states[state]} {state === "starting" && step}
      </Text>
      {state === "starting" && <Progress value={100 * progress} aria-label={text.demo.progress} animated />}
      {reason && (
        <Alert color={state === "failed" ? "red" : "orange"} variant="light">
          <InlineMarkup text={reason} />
        </Alert>
      )}
      {fixed && state === "running" && (
        <Text size="sm" c="dimmed">
          {text.demo.fixed}
        </Text>
      )}
      <ProblemAlert problem={ask.error} />
      {may ? (
        <Group>
          {mayStart && (
            <Button loading={ask.isPending} onClick={() => ask.mutate("start")}>
              {state === "failed" ? text.demo.retry : text.demo.start}
            </Button>
          )}
          {mayStop && (
            <Button variant="default" loading={ask.isPending} onClick={() => ask.mutate("stop")}>
              {text.demo.stop}
            </Button>
          )}
        </Group>
      ) : (
        <Text size="sm" c="dimmed">
          {text.demo.readOnly}
        </Text>
      )}
    </Stack>
  );
}
