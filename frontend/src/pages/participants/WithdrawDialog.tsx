import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { waitForEnd } from "@/api/request";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { formatQuantity } from "@/common/requests/AffectedCounts";
import { CostSummary } from "@/common/requests/CostSummary";
import { announce, withdraw, withdrawalCost } from "./calls";
import { type Announcement, announcementName, filterText, ownerOf, type Side, sideOf } from "./kinds";

/** Withdraws an announcement: who is affected first, then followed to its end, with a way back. */
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
      title={`Withdraw ${side.what} ${name}?`}
      action="Withdraw it"
      danger
      busy={go.isPending}
      disabled={cost.isPending}
      problem={go.error}
      onConfirm={() => go.mutate()}
      onClose={onClose}
    >
      <Stack gap="sm">
        <Text size="sm">
          Of {ownerOf(row)} at {row.host}, topic {row.topic}: <Code>{filterText(row.filter)}</Code>
        </Text>
        <div aria-live="polite" data-affected>
          {!cost.data && cost.isFetching && <Text size="sm">Counting who is affected…</Text>}
          {cost.data && <Affected side={side} cost={cost.data} />}
          {!cost.isFetching && <ProblemAlert problem={cost.error} retry={() => void cost.refetch()} />}
        </div>
        {go.isPending && (
          <Text size="sm" role="status">
            Asked for; it is done when every switch has confirmed it.
          </Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

function Affected({ side, cost }: { side: Side; cost: Awaited<ReturnType<typeof withdrawalCost>> }) {
  const { affected } = cost;
  const subscription = side.what === "subscription";
  return (
    <Stack gap="xs">
      {affected && (
        <Text size="sm" fw={600} data-count={affected.subscriptions}>
          {affected.complete ? "" : "At least "}
          {subscription
            ? `1 subscriber is affected: it gets no further event by this filter, at ${formatQuantity(affected.hosts, "host")}.`
            : `${formatQuantity(affected.subscriptions, "subscription")} of ${formatQuantity(affected.subscribers, "subscriber")} at ${formatQuantity(affected.hosts, "host")} ${affected.subscriptions === 1 ? "is" : "are"} affected.`}
        </Text>
      )}
      {affected && affected.left_without > 0 && (
        <Text size="sm">
          {formatQuantity(affected.left_without, "subscription")} would meet no advertisement any more.
        </Text>
      )}
      {affected && !subscription && affected.subscription_names.length > 0 && (
        <Text size="sm" c="dimmed">
          {affected.subscription_names.join(", ")}
          {affected.subscriptions > affected.subscription_names.length ? ", …" : ""}
        </Text>
      )}
      <CostSummary cost={cost} />
    </Stack>
  );
}

/** Says that it is withdrawn, and announces the same filter again when asked. */
function Undo({ row, side, refresh }: { row: Announcement; side: Side; refresh: () => void }) {
  const again = useMutation({
    mutationFn: async () => waitForEnd(await announce(side, ownerOf(row), row.topic, row.filter ?? "")),
    onSuccess: (request) => {
      notifications.hide(`withdrawn-${announcementName(row)}`);
      notifications.show({ color: "green", message: `It was announced again as ${request.object?.name}.` });
    },
    onSettled: refresh,
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">
        {announcementName(row)} was withdrawn.
        {again.error ? ` It could not be announced again: ${again.error.message}` : ""}
      </Text>
      {row.filter !== null && (
        <Button size="compact-xs" variant="default" loading={again.isPending} onClick={() => again.mutate()}>
          Announce it again
        </Button>
      )}
    </Group>
  );
}
