import { Badge, Progress, Stack, Text } from "@mantine/core";
import { OVER, RUN_COLOR } from "./jobs";
import type { JobRun } from "./runs";
import { text } from "./text";

const stateOf = (state: string) => (state === "cancelled" ? text.runs.stopped : state);

/** State of a run; while it is running, with its progress. */
export function JobRunState({ run }: { run: JobRun }) {
  return (
    <Stack gap={2} miw={90}>
      <Badge variant="light" color={RUN_COLOR[run.state] ?? "teal"}>
        {run.cancelling && !OVER.includes(run.state) ? text.runs.stopping : stateOf(run.state)}
      </Badge>
      {run.state === "running" && (
        <>
          <Progress
            value={100 * (run.progress ?? 0)}
            size="xs"
            aria-label={text.runs.progressOf(run.id)}
            animated={run.progress === null}
          />
          <Text size="xs" c="dimmed">
            {run.stage}
          </Text>
        </>
      )}
    </Stack>
  );
}
