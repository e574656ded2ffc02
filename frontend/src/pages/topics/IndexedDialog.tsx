import { Alert, Button, Checkbox, Group, Loader, Modal, Stack, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { CostSummary } from "@/common/CostSummary";
import { ProblemAlert } from "@/common/ProblemAlert";
import { RequestProgress, useRequest } from "@/common/RequestProgress";
import { useLiveRefresh } from "@/live/LiveProvider";

type Topic = Schemas["Topic"];

/** Changes what a topic indexes: the cost of it first, then the request and the move, followed to their end. */
export function IndexedDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const [indexed, setIndexed] = useState(topic.indexed);
  const [automatic, setAutomatic] = useState(topic.automatic_indexing);
  const [logged, setLogged] = useState<NetworkRequest | null>(null);
  const queries = useQueryClient();
  const request = useRequest(logged);
  const id = String(topic.id);
  const other = indexed.join() !== topic.indexed.join();
  const cost = useQuery({
    queryKey: ["topics/indexed/cost", topic.id, indexed],
    enabled: other && indexed.length > 0 && logged === null,
    queryFn: async ({ signal }) =>
      (
        await api.PATCH("/api/v1/topics/{id}/", {
          params: { path: { id }, query: { dry_run: true } },
          body: { indexed },
          signal,
        })
      ).data as Schemas["Cost"],
  });
  const change = useMutation({
    mutationFn: async () => {
      const body = {
        ...(other ? { indexed } : {}),
        ...(automatic !== topic.automatic_indexing ? { automatic_indexing: automatic } : {}),
      };
      return (await api.PATCH("/api/v1/topics/{id}/", { params: { path: { id } }, body })).data;
    },
    onSuccess: (answer) => {
      queries.invalidateQueries({ queryKey: ["/api/v1/topics/"] });
      if (answer && "state" in answer) return setLogged(answer as unknown as NetworkRequest);
      notifications.show({ message: `Topic ${topic.name} was changed.`, color: "green" });
      onClose();
    },
  });
  const changed = other || automatic !== topic.automatic_indexing;
  const toggle = (name: string) =>
    setIndexed((now) =>
      topic.attributes
        .map((each) => each.name)
        .filter((each) => (each === name ? !now.includes(each) : now.includes(each))),
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={`What ${topic.name} indexes`}
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {request ? (
        <Stack>
          <RequestProgress request={request} />
          <Moves topic={topic.name} />
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text size="sm">
            Indexed attributes are matched in the switches, the others by the hosts. A change encodes every
            filter of the topic anew and moves it to its other code, without losing an event.
          </Text>
          <Checkbox.Group
            label="Indexed attributes"
            value={indexed}
            error={indexed.length === 0 ? "At least one attribute must be indexed." : undefined}
          >
            <Stack gap={6} mt={6}>
              {topic.attributes.map(({ name, type }) => (
                <Checkbox key={name} value={name} label={`${name} (${type})`} onChange={() => toggle(name)} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Switch
            label="Choose by itself, by past events, what is indexed"
            checked={automatic}
            onChange={(event) => setAutomatic(event.currentTarget.checked)}
          />
          <div aria-live="polite" data-cost>
            {other && cost.isFetching && (
              <Group gap="xs">
                <Loader size="xs" aria-hidden />
                <Text size="sm">Working out what it costs…</Text>
              </Group>
            )}
            {other && cost.error && <ProblemAlert problem={cost.error} />}
            {other && cost.data && !cost.isFetching && <CostSummary cost={cost.data} />}
          </div>
          {change.error && <ProblemAlert problem={change.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button
              onClick={() => change.mutate()}
              loading={change.isPending}
              disabled={!changed || indexed.length === 0}
            >
              Change it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

const STAGES: Record<Schemas["StageEnum"], string> = {
  making: "the switches install the new entries",
  telling: "the publishers change over",
  settling: "events that are under way arrive",
  breaking: "the switches let the old entries go",
  done: "over",
};

function Moves({ topic }: { topic: string }) {
  const key = ["/api/v1/moves/", topic];
  const moves = useQuery({
    queryKey: key,
    refetchInterval: 2_000,
    queryFn: async ({ signal }) =>
      (
        await api.GET("/api/v1/moves/", {
          params: { query: { topic, ordering: "-id", limit: 1 } as never },
          signal,
        })
      ).data,
  });
  useLiveRefresh(["move", "encoding"], key);
  const [move] = moves.data?.results ?? [];
  if (!move) return null;
  return (
    <Alert variant="light" color="teal" p="xs" role="status">
      <Text size="sm">
        Move of {topic} to code {move.code}: {STAGES[move.stage] ?? move.stage}.
      </Text>
    </Alert>
  );
}
