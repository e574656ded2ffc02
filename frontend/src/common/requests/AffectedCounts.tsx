import { List, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "@/common/text";

/** Numbers of affected objects, while they are counted, after an error, and when they are known. */
export function Affected({ query }: { query: UseQueryResult<Schemas["Affected"]> }) {
  if (query.data) return <AffectedCounts affected={query.data} />;
  if (query.error && !query.isFetching)
    return <ProblemAlert problem={query.error} retry={() => void query.refetch()} />;
  return (
    <Text size="sm" role="status">
      {text.affected.counting}
    </Text>
  );
}

/** Numbers of the objects that a removal affects. */
function AffectedCounts({ affected }: { affected: Schemas["Affected"] }) {
  const { complete, entries_removed: entries, left_without: without } = affected;
  return (
    <Stack gap={4} data-affected-counts>
      <List size="sm">
        <List.Item>
          {text.affected.subscriptions(
            complete,
            affected.subscriptions,
            affected.subscribers,
            affected.subscription_names,
          )}
        </List.Item>
        <List.Item>
          {text.affected.advertisements(complete, affected.advertisements, affected.publishers)}
        </List.Item>
        <List.Item>{text.affected.hosts(complete, affected.hosts, affected.host_names)}</List.Item>
        {without > 0 && <List.Item>{text.affected.without(complete, without)}</List.Item>}
      </List>
      {entries !== null && entries > 0 && (
        <Text size="sm" c="dimmed">
          {text.affected.entries(entries)}
        </Text>
      )}
    </Stack>
  );
}
