import { List, Stack, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Schemas } from "@/api/client";
import { ProblemAlert } from "@/common/layout/ProblemAlert";

/** Who is affected, as far as the server has counted: being counted, not to be counted now, or the counts. */
export function Affected({ query }: { query: UseQueryResult<Schemas["Affected"]> }) {
  if (query.data) return <AffectedCounts affected={query.data} />;
  if (query.error && !query.isFetching)
    return <ProblemAlert problem={query.error} retry={() => void query.refetch()} />;
  return (
    <Text size="sm" role="status">
      Counting who is affected…
    </Text>
  );
}

/** Who is affected when something in use goes, as the server counts it. */
function AffectedCounts({ affected }: { affected: Schemas["Affected"] }) {
  const { complete, entries_removed: entries, left_without: without } = affected;
  const least = complete ? "" : "at least ";
  return (
    <Stack gap={4} data-affected-counts>
      <List size="sm">
        <List.Item>
          {least}
          {formatQuantity(affected.subscriptions, "subscription")} of{" "}
          {formatQuantity(affected.subscribers, "subscriber")}
          {some(affected.subscription_names, affected.subscriptions)}
        </List.Item>
        <List.Item>
          {least}
          {formatQuantity(affected.advertisements, "advertisement")} of{" "}
          {formatQuantity(affected.publishers, "publisher")}
        </List.Item>
        <List.Item>
          at {least}
          {formatQuantity(affected.hosts, "host")}
          {some(affected.host_names, affected.hosts)}
        </List.Item>
        {without > 0 && (
          <List.Item>
            {least}
            {formatQuantity(without, "subscription")} would meet no advertisement any more
          </List.Item>
        )}
      </List>
      {entries !== null && entries > 0 && (
        <Text size="sm" c="dimmed">
          {formatQuantity(entries, "table entry", "table entries")} would go.
        </Text>
      )}
    </Stack>
  );
}

/** A number with its noun: "1 host", "2 hosts". */
export function formatQuantity(n: number, noun: string, many = `${noun}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? noun : many}`;
}

/** The first names behind a number: " (q1, q2, …)". */
function some(names: readonly string[], of: number): string {
  if (names.length === 0) return "";
  return ` (${names.slice(0, 5).join(", ")}${of > Math.min(5, names.length) ? ", …" : ""})`;
}
