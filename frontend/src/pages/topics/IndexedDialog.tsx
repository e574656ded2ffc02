import { Alert, Button, Checkbox, Group, Loader, Modal, Stack, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { Conflict } from "@/common/forms/Conflict";
import { useEdits } from "@/common/forms/edits";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { CostSummary } from "@/common/requests/CostSummary";
import { RequestProgress, useRequest } from "@/common/requests/RequestProgress";
import { useLiveRefresh } from "@/live/LiveProvider";
import { type Indexing, indexingOf, isSame, sendIndexing } from "./indexing";

type Topic = Schemas["Topic"];

/** Changes what a topic indexes: the cost of it first, then the request and the move, followed to their end. */
export function IndexedDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const { edits, values, change, conflicts, edit, takeTheirs, keepMine } = useEdits(
    indexingOf(topic),
    isSame,
  );
  const { indexed, automatic_indexing: automatic } = values;
  const [logged, setLogged] = useState<NetworkRequest | null>(null);
  const queries = useQueryClient();
  const request = useRequest(logged);
  const id = String(topic.id);
  const other = change.indexed !== undefined;
  const cost = useQuery({
    queryKey: ["topics/indexed/cost", topic.id, topic.indexed, indexed],
    enabled: other && indexed.length > 0 && logged === null && conflicts.length === 0,
    queryFn: async ({ signal }) =>
      (
        await api.PATCH("/api/v1/topics/{id}/", {
          params: { path: { id }, query: { dry_run: true } },
          body: { indexed },
          signal,
        })
      ).data as Schemas["Cost"],
  });
  const save = useMutation({
    mutationFn: () => sendIndexing(topic.id, edits),
    onSuccess: (answer) => {
      const read = queries.invalidateQueries({ queryKey: ["/api/v1/topics/"] });
      if (!answer) return read;
      if ("state" in answer) return setLogged(answer as unknown as NetworkRequest);
      notifications.show({ message: `Topic ${topic.name} was changed.`, color: "green" });
      onClose();
    },
  });
  const changed = Object.keys(change).length > 0;
  const toggle = (name: string) =>
    edit(
      "indexed",
      topic.attributes
        .map((each) => each.name)
        .filter((each) => (each === name ? !indexed.includes(each) : indexed.includes(each))),
    );
  const conflict = (name: keyof Indexing, field: string, theirs: string) =>
    conflicts.includes(name) && (
      <Conflict
        field={field}
        theirs={theirs}
        onTheirs={() => takeTheirs(name)}
        onMine={() => keepMine(name)}
      />
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
          {conflict("indexed", "Indexed attributes", topic.indexed.join(", "))}
          <Switch
            label="Choose by itself, by past events, what is indexed"
            checked={automatic}
            onChange={(event) => edit("automatic_indexing", event.currentTarget.checked)}
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
          {save.error && <ProblemAlert problem={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              Cancel
            </Button>
            <Button
              onClick={() => save.mutate()}
              loading={save.isPending}
              disabled={!changed || indexed.length === 0 || conflicts.length > 0}
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
