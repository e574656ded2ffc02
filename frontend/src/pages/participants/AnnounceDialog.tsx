import { Anchor, Button, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { asProblem, byField } from "@/api/problems";
import type { NetworkRequest } from "@/api/request";
import { Picker } from "@/common/forms/Picker";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { UnreachableAlert } from "@/common/requests/Reachability";
import { RequestProgress, useRequest } from "@/common/requests/RequestProgress";
import { text as common } from "@/common/text";
import { FilterEditor } from "@/filters/FilterEditor";
import { PreviewPanel } from "@/filters/PreviewPanel";
import { usePreview } from "@/filters/preview";
import { announce } from "./calls";
import { FirstEvent } from "./FirstEvent";
import type { Side } from "./kinds";
import { text } from "./text";

/** Initial values of the form. */
export interface InitialValues {
  owner: string;
  topic: string;
  filter: string;
}

/**
 * Dialog that advertises or subscribes.
 *
 * The form has the owner, the topic and a filter. Each change of the filter is checked, and its cost is calculated. Then
 * the dialog shows the request until every switch has confirmed it, and the first event. If the request is refused, the
 * form keeps its values.
 */
export function AnnounceDialog({
  side,
  begin,
  onClose,
}: {
  side: Side;
  begin: InitialValues;
  onClose: () => void;
}) {
  const [owner, setOwner] = useState(begin.owner);
  const [topicName, setTopicName] = useState(begin.topic);
  const [filter, setFilter] = useState(begin.filter);
  const [logged, setLogged] = useState<NetworkRequest | null>(null);
  const phone = useMediaQuery("(max-width: 48em)");
  const queries = useQueryClient();
  const topic = useTopic(topicName);
  const preview = usePreview(
    topic && !logged
      ? { topic: topicName, filter, kind: side.kind, ...(owner ? { [side.who]: owner } : {}) }
      : null,
  );
  const save = useMutation({
    mutationFn: () => announce(side, owner, topicName, filter),
    onSuccess: (request) => {
      setLogged(request);
      queries.invalidateQueries({ queryKey: [`/api/v1/${side.announcements}/`] });
    },
  });
  const request = useRequest(logged);
  const problem = save.error ? asProblem(save.error) : null;
  const errors = problem ? byField(problem, [side.who, "topic"]) : {};
  const wrong = preview.answer?.valid === false && preview.of === filter;
  return (
    <Modal
      opened
      onClose={onClose}
      title={text[side.who].newAnnouncement}
      size="xl"
      fullScreen={phone}
      closeButtonProps={{ "aria-label": common.close }}
    >
      {request ? (
        <AnnouncementProgress side={side} request={request} again={() => setLogged(null)} onClose={onClose} />
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <Stack>
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <Picker
                path={`/api/v1/${side.owners}/`}
                label={text[side.who].owner}
                description={text.announcing.ownerHelp}
                value={owner}
                onChange={setOwner}
                error={errors[side.who]}
                none={text[side.who].pickerEmpty}
                required
                data-autofocus={begin.owner ? undefined : true}
              />
              <Picker
                path="/api/v1/topics/"
                label={text.announcing.topic}
                description={text.announcing.topicHelp}
                value={topicName}
                onChange={setTopicName}
                error={errors.topic}
                none={text.announcing.noTopic}
                required
                data-autofocus={begin.owner && !begin.topic ? true : undefined}
              />
            </SimpleGrid>
            <FilterEditor
              label={text.announcing.filter}
              description={
                topic
                  ? text.announcing.filterHelp(topic.attributes.map(({ name }) => name).join(", "))
                  : text.announcing.topicFirst
              }
              value={filter}
              onChange={setFilter}
              attributes={topic?.attributes ?? []}
              mistakes={preview.answer?.errors ?? []}
              of={preview.of}
              autoFocus={Boolean(begin.owner && begin.topic)}
            />
            <PreviewPanel
              answer={preview.answer}
              busy={preview.busy}
              error={preview.error}
              kind={side.kind}
              known={Boolean(owner)}
            />
            {problem && <ProblemAlert problem={problem} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {common.cancel}
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!owner || !topicName || wrong}>
                {text[side.who].announce}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function AnnouncementProgress({
  side,
  request,
  again,
  onClose,
}: {
  side: Side;
  request: NetworkRequest;
  again: () => void;
  onClose: () => void;
}) {
  const active = request.state === "active";
  return (
    <Stack>
      <RequestProgress request={request} />
      {active && request.matched === false && <Text size="sm">{text.announcing.noAdvertisement}</Text>}
      <UnreachableAlert reach={request.reach} unreachable={request.unreachable} />
      {active && request.object && (
        <FirstEvent side={side} name={request.object.name} matched={request.matched} />
      )}
      {active && (
        <Text size="sm">
          <Anchor component={Link} to="/network">
            {text.announcing.showNetwork}
          </Anchor>
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={again}>
          {request.state === "failed" ? text.announcing.edit : text.announcing.addAnother}
        </Button>
        <Button onClick={onClose} data-autofocus>
          {common.close}
        </Button>
      </Group>
    </Stack>
  );
}

function useTopic(name: string): Schemas["Topic"] | null {
  const found = useQuery({
    queryKey: ["/api/v1/topics/", "named", name],
    enabled: name !== "",
    staleTime: 10_000,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/topics/", { params: { query: { name } }, signal })).data?.results[0] ?? null,
  });
  return name ? (found.data ?? null) : null;
}
