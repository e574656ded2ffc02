import { Alert, Button, Checkbox, Group, Loader, Modal, Stack, Switch, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { Conflict } from "@/common/forms/Conflict";
import { useEdits } from "@/common/forms/edits";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { CostSummary } from "@/common/requests/CostSummary";
import { RequestProgress, useRequest } from "@/common/requests/RequestProgress";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { type Indexing, indexingOf, isSame, sendIndexing } from "./indexing";
import { text } from "./text";

type Topic = Schemas["Topic"];

/** Dialog that changes the indexed attributes: the cost, then the progress of the change. */
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
      notifications.show({ message: text.indexing.changed(topic.name), color: "green" });
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
      title={text.indexing.title(topic.name)}
      size="lg"
      closeButtonProps={{ "aria-label": common.close }}
    >
      {request ? (
        <Stack>
          <RequestProgress request={request} />
          <Moves topic={topic.name} />
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              {common.close}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text size="sm" component="div">
            {text.indexing.intro} <HelpIcon term="notIndexed" />
          </Text>
          <Checkbox.Group
            label={text.indexing.attributes}
            value={indexed}
            error={indexed.length === 0 ? text.indexing.atLeastOne : undefined}
          >
            <Stack gap={6} mt={6}>
              {topic.attributes.map(({ name, type }) => (
                <Checkbox
                  key={name}
                  value={name}
                  label={text.indexing.attribute(name, type)}
                  onChange={() => toggle(name)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          {conflict("indexed", text.indexing.attributes, topic.indexed.join(", "))}
          <Switch
            label={text.indexing.automatic}
            checked={automatic}
            onChange={(event) => edit("automatic_indexing", event.currentTarget.checked)}
          />
          <div aria-live="polite" data-cost>
            {other && cost.isFetching && (
              <Group gap="xs">
                <Loader size="xs" aria-hidden />
                <Text size="sm">{text.indexing.calculating}</Text>
              </Group>
            )}
            {other && cost.error && <ProblemAlert problem={cost.error} />}
            {other && cost.data && !cost.isFetching && <CostSummary cost={cost.data} />}
          </div>
          {save.error && <ProblemAlert problem={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} data-autofocus>
              {common.cancel}
            </Button>
            <Button
              onClick={() => save.mutate()}
              loading={save.isPending}
              disabled={!changed || indexed.length === 0 || conflicts.length > 0}
            >
              {text.indexing.submit}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

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
      <Text size="sm">{text.indexing.moves[move.stage]?.(topic, move.code) ?? move.stage}</Text>
    </Alert>
  );
}
