import { Badge } from "@mantine/core";

const COLOR: Record<string, string> = { active: "green", failed: "red", withdrawn: "gray" };

/** State of a request, or of the object that it changes. */
export function StateBadge({ state }: { state: string }) {
  return (
    <Badge variant="light" color={COLOR[state] ?? "teal"} miw="max-content" data-state={state}>
      {state}
    </Badge>
  );
}
