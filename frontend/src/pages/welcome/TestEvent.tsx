import { Alert, Button, Card, Group, JsonInput, List, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { advertisementName } from "@/common/formatting/names";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { useDemo } from "./Demo";
import { OwnHosts } from "./OwnHosts";
import { sample } from "./sample";
import { text } from "./text";

type SentEvent = Schemas["TestEvent"];
type Advertisement = Schemas["Advertisement"];

/** Form that sends one event of a demo publisher, and shows the hosts that receive it. */
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
    queryKey: ["/api/v1/advertisements/", "test-event"],
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
        <Title order={3}>{text.event.title}</Title>
        <Select
          label={text.event.publisher}
          data={rows.map((one) => ({
            value: advertisementName(one.id),
            label: text.event.choice(one.publisher, one.topic, advertisementName(one.id)),
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
            {row.filter ? text.event.filter(row.filter) : text.event.anyEvent}
          </Text>
        )}
        <JsonInput
          label={text.event.event}
          description={text.event.eventHelp}
          value={values}
          onChange={setTyped}
          autosize
          minRows={3}
          error={problems.values}
        />
        <ProblemAlert problem={send.error} />
        <Group>
          <Button type="submit" loading={send.isPending} disabled={!row}>
            {text.event.send}
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
  const firstFalsePositive = event.received.find((one) => !one.wanted)?.host;
  return (
    <Alert
      color={wanted.length > 0 ? "green" : "orange"}
      variant="light"
      role="status"
      title={wanted.length > 0 ? text.event.delivered(wanted.length) : text.event.noMatch}
      data-delivered={wanted.length}
    >
      <List size="sm">
        {event.received.map(({ host, delay_ms: delay, wanted: asked, subscriptions }) => (
          <List.Item key={host}>
            {asked
              ? text.event.match(host, delay.toFixed(1), subscriptions.join(", "))
              : text.event.falsePositive(host, delay.toFixed(1))}{" "}
            {host === firstFalsePositive && <HelpIcon term="falsePositive" />}
          </List.Item>
        ))}
      </List>
      {event.received.length === 0 && text.event.dropped}
    </Alert>
  );
}

/** Function that creates a sample event of an advertisement, as JSON. */
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
