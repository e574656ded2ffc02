import { Badge } from "@mantine/core";

const COLOR: Record<string, string> = { succeeded: "green", failed: "red", skipped: "gray" };

/** The state of an aggregation run. */
export function AggregationRunState({ state }: { state: string }) {
  return (
    <Badge variant="light" color={COLOR[state] ?? "teal"} data-state={state} miw="max-content">
      {state}
    </Badge>
  );
}
