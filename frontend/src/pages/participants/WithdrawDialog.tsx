import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { waitForEnd } from "@/api/request";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { CostSummary } from "@/common/requests/CostSummary";
import { announce, type Cost, withdraw, withdrawalCost } from "./calls";
import { type Announcement, announcementName, filterText, ownerOf, type Side, sideOf } from "./kinds";
import { text } from "./text";

/** Dialog that withdraws an announcement: the affected objects, then the progress. */
export function WithdrawDialog({ row, onClose }: { row: Announcement; onClose: () => void }) {
  const side = sideOf("publisher" in row ? "publishers" : "subscribers");
  const name = announcementName(row);
  const queries = useQueryClient();
  const cost = useQuery({
    queryKey: ["withdrawal", name],
    staleTime: 0,
    gcTime: 0,
    queryFn: ({ signal }) => withdrawalCost(row, signal),
  });
  const refresh = () => queries.invalidateQueries({ queryKey: [`/api/v1/${side.announcements}/`] });
  const go = useMutation({
    mutationFn: async () => {
      const request = await withdraw(row);
      if (request) {
        refresh();
        await waitForEnd(request);
      }
    },
    onSuccess: () => {
      onClose();
      notifications.show({
        id: `withdrawn-${name}`,
        color: "green",
        autoClose: 15_000,
        message: <Undo row={row} side={side} refresh={refresh} />,
      });
    },
    onSettled: refresh,
  });
  return (
    <ConfirmDialog
      opened
      title={text[side.who].withdraw(name)}
      action={text.withdrawal.confirm}
      danger
      busy={go.isPending}
      disabled={cost.isPending}
      problem={go.error}
      onConfirm={() => go.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          {text.withdrawal.announcement(ownerOf(row), row.host, row.topic)}{" "}
          <Code>{filterText(row.filter)}</Code>
        </Text>
        <div aria-live="polite" data-affected>
          {!cost.data && cost.isFetching && <Text size="sm">{text.withdrawal.counting}</Text>}
          {cost.data && <Affected side={side} cost={cost.data} />}
          {!cost.isFetching && <ProblemAlert problem={cost.error} retry={() => void cost.refetch()} />}
        </div>
        {go.isPending && (
          <Text size="sm" role="status">
            {text.withdrawal.waiting}
          </Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function Affected({ side, cost }: { side: Side; cost: Cost }) {
  const { affected } = cost;
  const subscription = side.kind === "subscription";
  return (
    <Stack gap="xs">
      {affected && (
        <Text size="sm" fw={600} data-count={affected.subscriptions}>
          {effectOf(side, affected)}
        </Text>
      )}
      {affected && affected.left_without > 0 && (
        <Text size="sm">{text.withdrawal.leftWithout(affected.left_without)}</Text>
      )}
      {affected && !subscription && affected.subscription_names.length > 0 && (
        <Text size="sm" c="dimmed">
          {text.withdrawal.names(
            affected.subscription_names.join(", "),
            affected.subscriptions > affected.subscription_names.length,
          )}
        </Text>
      )}
      <CostSummary cost={cost} />
    </Stack>
  );
}

/** Return the numbers of affected objects; "at least" if the count is not complete. */
function effectOf(side: Side, affected: NonNullable<Cost["affected"]>): string {
  const { complete, subscriptions, subscribers, hosts } = affected;
  if (side.kind === "subscription")
    return complete ? text.withdrawal.subscriber(hosts) : text.withdrawal.atLeastSubscriber(hosts);
  return complete
    ? text.withdrawal.subscriptions(subscriptions, subscribers, hosts)
    : text.withdrawal.atLeastSubscriptions(subscriptions, subscribers, hosts);
}

/** Notification of a withdrawal, with a button that announces the same filter again. */
function Undo({ row, side, refresh }: { row: Announcement; side: Side; refresh: () => void }) {
  const again = useMutation({
    mutationFn: async () => waitForEnd(await announce(side, ownerOf(row), row.topic, row.filter ?? "")),
    onSuccess: (request) => {
      notifications.hide(`withdrawn-${announcementName(row)}`);
      notifications.show({ color: "green", message: text.withdrawal.announced(request.object?.name) });
    },
    onSettled: refresh,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">
        {again.error
          ? text.withdrawal.againFailed(announcementName(row), again.error.message)
          : text.withdrawal.withdrawn(announcementName(row))}
      </Text>
      {row.filter !== null && (
        <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          {text.withdrawal.again}
        </Button>
      )}
    </Group>
  );
}
