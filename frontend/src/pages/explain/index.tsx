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
import { text } from "./text";

/** Page that explains the path and the receivers of an event. The address contains the event. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const publisher = parameters.get("publisher") ?? "";
  const topic = parameters.get("topic") ?? "";
  const json = parameters.get("values") ?? "";
  const values = readValues(json);
  const found = useQuery({
    queryKey: ["/api/v1/explain/", publisher, topic, json],
    enabled: publisher !== "" && json !== "",
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const query = { publisher, values: json, ...(topic ? { topic } : {}) };
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
      <PageHeader title={text.title}>
        <DocsLink to="how-to/debug-a-missing-event.md">{text.docs}</DocsLink>
      </PageHeader>
      <EventForm
        key={`${publisher} ${topic} ${json}`}
        publisher={publisher}
        topic={topic}
        values={values ?? {}}
        problem={found.error}
        onAsk={ask}
      />
      {found.isFetching && !found.data && (
        <Group gap={6} role="status">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{text.tracing}</Text>
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
              {text.repeat}
            </Button>
            <Text size="sm" c="dimmed">
              {text.shareLink}
            </Text>
            <CopyText text={location.href} what={text.link} />
          </Group>
          <ExplanationView found={found.data} />
        </>
      )}
      {!publisher && <Beginning />}
    </Stack>
  );
}

/** Advice for the first step: enter an event, or set up a network if there is no publisher. */
function Beginning() {
  const { data: publishers } = usePublishers("");
  if (publishers?.length === 0)
    return (
      <Empty cause={text.noPublisher}>
        <Button component={Link} to="/welcome">
          {text.setUp}
        </Button>
      </Empty>
    );
  return <Empty cause={text.start} />;
}
