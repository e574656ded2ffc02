import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Schemas } from "@/api/client";
import { EntriesBySwitch } from "@/common/requests/EntriesBySwitch";
import { MergingNote } from "@/common/requests/MergingNote";
import { text } from "@/common/text";

const SWITCHES = 12;

/** Cost of a call from its dry run: entries by switch, exceeded budgets and refused items. */
export function CostSummary({ cost }: { cost: Schemas["Cost"] }) {
  const change = cost.entries.reduce((sum, { before, after }) => sum + after - before, 0);
  const refused = cost.results.filter(({ accepted }) => !accepted);
  return (
    <Stack gap="xs">
      <Text size="sm" data-cost-entries>
        {cost.entries.length === 0 ? text.cost.unchanged : text.cost.entries(change, cost.entries.length)}
      </Text>
      <MergingNote merging={cost.merging} />
      {(cost.budgets_exceeded.length > 0 || refused.length > 0) && (
        <Alert color="red" variant="light" p="xs" icon={<IconAlertTriangle size={18} aria-hidden />}>
          {cost.budgets_exceeded.length > 0 && (
            <Text size="sm">
              {text.cost.exceeded(
                cost.budgets_exceeded.slice(0, SWITCHES),
                Math.max(0, cost.budgets_exceeded.length - SWITCHES),
              )}
            </Text>
          )}
          {refused.slice(0, 5).map(({ index, detail }) => (
            <Text size="sm" key={index}>
              {cost.items > 1 ? text.cost.item(index + 1, detail ?? "") : detail}
            </Text>
          ))}
          {refused.length > 5 && <Text size="sm">{text.cost.more(refused.length - 5)}</Text>}
        </Alert>
      )}
      {cost.entries.length > 0 && <EntriesBySwitch entries={cost.entries} />}
    </Stack>
  );
}
