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
import { FilterEditor } from "@/filters/FilterEditor";
import { PreviewPanel } from "@/filters/PreviewPanel";
import { usePreview } from "@/filters/preview";
import { announce } from "./calls";
import { FirstEvent } from "./FirstEvent";
import type { Side } from "./kinds";

/** What the form begins with. */
export interface InitialValues {
  owner: string;
  topic: string;
  filter: string;
}

/**
 * Advertises or subscribes: who, which topic, and a filter that is checked and costed as it is typed; then the request
 * until every switch has confirmed it, and the first event. What was entered stays until it was taken.
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
      ? { topic: topicName, filter, kind: side.what, ...(owner ? { [side.who]: owner } : {}) }
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
      title={side.what === "subscription" ? "New subscription" : "New advertisement"}
      size="xl"
      fullScreen={phone}
      closeButtonProps={{ "aria-label": "Close" }}
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
                label={side.who === "publisher" ? "Publisher" : "Subscriber"}
                description="Type a part of the name."
                value={owner}
                onChange={setOwner}
                error={errors[side.who]}
                none={`No ${side.who} is called like that. Register one first.`}
                required
                data-autofocus={begin.owner ? undefined : true}
              />
              <Picker
                path="/api/v1/topics/"
                label="Topic"
                description="Its attributes are what the filter is about."
                value={topicName}
                onChange={setTopicName}
                error={errors.topic}
                none="No topic is called like that."
                required
                data-autofocus={begin.owner && !begin.topic ? true : undefined}
              />
            </SimpleGrid>
            <FilterEditor
              label="Filter"
              description={
                topic
                  ? `Over ${topic.attributes.map(({ name }) => name).join(", ")}. Empty: every event. Ctrl+Space proposes.`
                  : "Choose a topic first: its attributes are proposed as you type. Empty: every event."
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
              kind={side.what}
              known={Boolean(owner)}
            />
            {problem && <ProblemAlert problem={problem} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending} disabled={!owner || !topicName || wrong}>
                {side.verb}
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
      {active && request.matched === false && (
        <Text size="sm">No advertisement meets it yet: it receives events once one does.</Text>
      )}
      <UnreachableAlert reach={request.reach} unreachable={request.unreachable} />
      {active && request.object && (
        <FirstEvent side={side} name={request.object.name} matched={request.matched} />
      )}
      {active && (
        <Text size="sm">
          <Anchor component={Link} to="/network">
            See it in the network
          </Anchor>
        </Text>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={again}>
          {request.state === "failed" ? "Change it" : "One more"}
        </Button>
        <Button onClick={onClose} data-autofocus>
          Close
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
