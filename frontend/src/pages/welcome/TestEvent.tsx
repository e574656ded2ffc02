import { Alert, Button, Card, Group, JsonInput, List, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { advertisementName } from "@/common/formatting/names";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { useDemo } from "./Demo";
import { OwnHosts } from "./OwnHosts";
import { sample } from "./sample";

type SentEvent = Schemas["TestEvent"];
type Advertisement = Schemas["Advertisement"];

/** An event of one of the demo's publishers, sent once, and who got it. */
export function TestEvent() {
  const may = useMay("test-events", "POST");
  const { data: demo } = useDemo();
  if (demo && demo.state !== "running") {
    return <OwnHosts />;
  }
  return may ? <Form /> : null;
}

function Form() {
  const [chosen, setChosen] = useState<string | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const known = useQuery({
    queryKey: ["/api/v1/advertisements/", "to try"],
    queryFn: ({ signal }) =>
      readPage<Advertisement>("/api/v1/advertisements/", { limit: 50, state: "active" }, signal),
    refetchInterval: ({ state }) => (state.data?.results.length ? false : 2_000),
  });
  const samples = useSamples();
  const rows = known.data?.results ?? [];
  const row = rows.find((one) => advertisementName(one.id) === chosen) ?? rows[0];
  const values = typed ?? (row ? samples(row) : "");
  const send = useMutation({
    mutationFn: async () => {
      const body = { advertisement: row ? advertisementName(row.id) : "", values: JSON.parse(values) };
      const headers = { Prefer: "wait=30" };
      return (await api.POST("/api/v1/test-events/", { body, headers })).data;
    },
  });
  const problems = send.error ? byField(asProblem(send.error), ["advertisement", "values"]) : {};
  return (
    <Card
      withBorder
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <Stack gap="sm">
        <Title order={3}>Send an event and see who gets it</Title>
        <Select
          label="Publisher"
          data={rows.map((one) => ({
            value: advertisementName(one.id),
            label: `${one.publisher}: ${one.topic} (${advertisementName(one.id)})`,
          }))}
          value={row ? advertisementName(row.id) : null}
          onChange={(name) => {
            setChosen(name);
            setTyped(null);
          }}
          error={problems.advertisement}
          allowDeselect={false}
          searchable
        />
        {row && (
          <Text size="xs" c="dimmed">
            It may send: {row.filter || "anything of the topic"}
          </Text>
        )}
        <JsonInput
          label="Event"
          description="a value for each attribute of the topic"
          value={values}
          onChange={setTyped}
          autosize
          minRows={3}
          error={problems.values}
        />
        <ProblemAlert problem={send.error} />
        <Group>
          <Button type="submit" loading={send.isPending} disabled={!row}>
            Send it
          </Button>
        </Group>
        {send.data && <TestResult event={send.data} />}
      </Stack>
    </Card>
  );
}

function TestResult({ event }: { event: SentEvent }) {
  if (event.problem)
    return (
      <Alert color="red">
        <InlineMarkup text={event.problem} />
      </Alert>
    );
  const wanted = event.received.filter((one) => one.wanted);
  return (
    <Alert
      color={wanted.length > 0 ? "green" : "orange"}
      variant="light"
      role="status"
      title={
        wanted.length > 0
          ? `Delivered to ${wanted.length} ${wanted.length === 1 ? "host" : "hosts"} that asked for it`
          : "No subscription matches this event"
      }
      data-delivered={wanted.length}
    >
      <List size="sm">
        {event.received.map(({ host, delay_ms: delay, wanted: asked, subscriptions }) => (
          <List.Item key={host}>
            {host}, after {delay.toFixed(1)} ms
            {asked ? ` (${subscriptions.join(", ")})` : ": unwanted, a false positive"}
          </List.Item>
        ))}
      </List>
      {event.received.length === 0 && "It ended at a switch: nobody asked for such an event."}
    </Alert>
  );
}

/** An event that an advertisement may send. */
function useSamples() {
  const topics = useQuery({
    queryKey: ["/api/v1/topics/", "attributes"],
    queryFn: ({ signal }) => readPage<Schemas["Topic"]>("/api/v1/topics/", { limit: 100 }, signal),
  });
  return (row: Advertisement) => {
    const topic = topics.data?.results.find(({ name }) => name === row.topic);
    return JSON.stringify(sample(topic?.attributes ?? [], row.filter ?? ""), null, 2);
  };
}
