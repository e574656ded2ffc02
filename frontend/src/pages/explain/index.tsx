import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { api } from "@/api/client";
import { DocsLink } from "@/common/documentation/DocsLink";
import type { Values } from "@/common/formatting/event";
import { readValues } from "@/common/formatting/event";
import { CopyText } from "@/common/layout/CopyText";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { EventForm, usePublishers } from "./EventForm";
import { ExplanationView } from "./ExplanationView";

/** Why an event goes where it goes; the event is in the address. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const publisher = parameters.get("publisher") ?? "";
  const topic = parameters.get("topic") ?? "";
  const text = parameters.get("values") ?? "";
  const values = readValues(text);
  const found = useQuery({
    queryKey: ["/api/v1/explain/", publisher, topic, text],
    enabled: publisher !== "" && text !== "",
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const query = { publisher, values: text, ...(topic ? { topic } : {}) };
      return (await api.GET("/api/v1/explain/", { params: { query }, signal })).data;
    },
  });
  const ask = (event: { publisher: string; topic: string; values: Values }) => {
    const next = new URLSearchParams({ publisher: event.publisher, topic: event.topic });
    next.set("values", JSON.stringify(event.values));
    if ([...next].every(([name, value]) => value === (parameters.get(name) ?? ""))) void found.refetch();
    else setParameters(next);
  };
  return (
    <Stack>
      <PageHeader title="Explain">
        <DocsLink to="how-to/debug-a-missing-event.md">Documentation: missing events</DocsLink>
      </PageHeader>
      <EventForm
        key={`${publisher} ${topic} ${text}`}
        publisher={publisher}
        topic={topic}
        values={values ?? {}}
        problem={found.error}
        onAsk={ask}
      />
      {found.isFetching && !found.data && (
        <Group gap={6} role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm">Following the event through the plan and the real switches.</Text>
        </Group>
      )}
      {found.data && !found.error && (
        <>
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              onClick={() => void found.refetch()}
              loading={found.isFetching}
            >
              Look again
            </Button>
            <Text size="sm" c="dimmed">
              To share it:
            </Text>
            <CopyText text={location.href} what="the address of this event" />
          </Group>
          <ExplanationView found={found.data} />
        </>
      )}
      {!publisher && <Beginning />}
    </Stack>
  );
}

/** What to begin with: an event, or a network whose publishers send some. */
function Beginning() {
  const { data: publishers } = usePublishers("");
  if (publishers?.length === 0)
    return (
      <Empty cause="There is no publisher yet, so that there is no event to explain. It takes a network, and a host that publishes.">
        <Button component={Link} to="/welcome">
          Set up a network
        </Button>
      </Empty>
    );
  return (
    <Empty cause="Type an event, or pick a past one. You see its way from switch to switch with the entry that it meets at each, and for every host why it gets the event or not." />
  );
}
