import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Schemas } from "@/api/client";
import { formatDifference } from "@/common/formatting/figures";
import { EntriesBySwitch } from "@/common/requests/EntriesBySwitch";
import { MergingNote } from "@/common/requests/MergingNote";

const SWITCHES = 12;

/** What a call would cost, as its dry run says: entries by switch, and budgets that would not hold. */
export function CostSummary({ cost }: { cost: Schemas["Cost"] }) {
  const change = cost.entries.reduce((sum, { before, after }) => sum + after - before, 0);
  const refused = cost.results.filter(({ accepted }) => !accepted);
  return (
    <Stack gap="xs">
      <Text size="sm" data-cost-entries>
        {cost.entries.length === 0
          ? "No switch needs another number of entries."
          : `${formatDifference(change)} entries, at ${cost.entries.length.toLocaleString()} ${cost.entries.length === 1 ? "switch" : "switches"}.`}
      </Text>
      <MergingNote merging={cost.merging} />
      {(cost.budgets_exceeded.length > 0 || refused.length > 0) && (
        <Alert color="red" variant="light" p="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {cost.budgets_exceeded.length > 0 && (
            <Text size="sm">
              The TCAM budget of {cost.budgets_exceeded.slice(0, SWITCHES).join(", ")} would not hold it.
              Raise it, or merge entries there (page Budgets).
            </Text>
          )}
          {refused.slice(0, 5).map(({ index, detail }) => (
            <Text size="sm" key={index}>
              {cost.items > 1 ? `Item ${index + 1}: ` : ""}
              {detail}
            </Text>
          ))}
          {refused.length > 5 && <Text size="sm">and {refused.length - 5} more</Text>}
        </Alert>
      )}
      {cost.entries.length > 0 && <EntriesBySwitch entries={cost.entries} />}
    </Stack>
  );
}
