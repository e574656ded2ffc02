import {
  Anchor,
  Button,
  Code,
  Group,
  List,
  Loader,
  Select,
  Slider,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { asFields, asValue, readValues } from "@/common/formatting/event";
import { advertisementName } from "@/common/formatting/names";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { escapeRegExp, QUOTED, unquote } from "@/filters/literals";
import { type HostOutcome, hostOutcomes } from "@/pages/explain/explanation";
import { hopDepths } from "../map/marks";
import { nameOf } from "../model/descriptions";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import { PanelHead } from "../panels/PanelHead";

type Explanation = Schemas["Explanation"];

/** The question whose event is shown, as the address has it. */
export interface Question {
  publisher: string;
  values: string;
}

/** The way of an event, asked for once. */
export function useExplanation({ publisher, values }: Question) {
  return useQuery({
    queryKey: ["explain", publisher, values],
    enabled: publisher !== "" && values !== "",
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/explain/", { params: { query: { publisher, values, trace: true } }, signal }))
        .data,
  });
}

/** Whose event with which values; its way hop by hop, who gets it, and who does not and why. */
export function EventPath({
  network,
  question,
  onAsk,
  answer,
  step,
  onStep,
  onSelect,
  onClose,
  heading,
}: {
  network: Network;
  question: Question;
  onAsk: (question: Question) => void;
  answer: ReturnType<typeof useExplanation>;
  step: number | null;
  onStep: (step: number) => void;
  onSelect: (selection: Selection) => void;
  onClose: () => void;
  heading: RefObject<HTMLHeadingElement | null>;
}) {
  return (
    <Stack gap="sm">
      <PanelHead title="Path of an event" heading={heading} onClose={onClose} />
      <QuestionForm question={question} onAsk={onAsk} busy={answer.isFetching} />
      <ProblemAlert problem={answer.error} retry={() => void answer.refetch()} />
      {answer.isFetching && !answer.data && <Loader role="status" size="sm" aria-label="Following it" />}
      {answer.data && (
        <Answer found={answer.data} network={network} step={step} onStep={onStep} onSelect={onSelect} />
      )}
    </Stack>
  );
}

function QuestionForm({
  question,
  onAsk,
  busy,
}: {
  question: Question;
  onAsk: (question: Question) => void;
  busy: boolean;
}) {
  const [publisher, setPublisher] = useState(question.publisher);
  const [values, setValues] = useState<Record<string, string>>(() =>
    asFields(readValues(question.values) ?? {}),
  );
  const { data: advertisements } = useQuery({
    queryKey: ["/api/v1/advertisements/", "to pick"],
    queryFn: ({ signal }) =>
      readPage<Schemas["Advertisement"]>("/api/v1/advertisements/", { state: "active", limit: 500 }, signal),
  });
  const meant = advertisements?.results.find(({ id }) => advertisementName(id) === publisher);
  const { data: topics } = useQuery({
    queryKey: ["/api/v1/topics/", meant?.topic],
    enabled: meant !== undefined,
    queryFn: ({ signal }) => readPage<Schemas["Topic"]>("/api/v1/topics/", { name: meant?.topic }, signal),
  });
  const attributes = topics?.results[0]?.attributes ?? [];
  useEffect(() => {
    const [first] = advertisements?.results ?? [];
    if (!publisher && first) setPublisher(advertisementName(first.id));
  }, [advertisements, publisher]);
  const told = Object.fromEntries(
    attributes.map((one) => [
      one.name,
      asValue(values[one.name] ?? initialValue(one, meant?.filter ?? null), one.type),
    ]),
  );
  if (advertisements?.results.length === 0)
    return <Text size="sm">Nobody advertises anything yet, so that no event has a way.</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ publisher, values: JSON.stringify(told) });
      }}
    >
      <Stack gap="xs">
        <Select
          label="Published under"
          size="xs"
          data={(advertisements?.results ?? []).map((one) => ({
            value: advertisementName(one.id),
            label: `${one.publisher}: ${one.topic}, ${one.filter ?? "by dz"}`,
          }))}
          value={publisher || null}
          onChange={(value) => value && setPublisher(value)}
          searchable
          allowDeselect={false}
        />
        <Group gap="xs" grow preventGrowOverflow={false}>
          {attributes.map((one) => (
            <TextInput
              key={one.name}
              label={one.name}
              size="xs"
              miw={110}
              value={values[one.name] ?? initialValue(one, meant?.filter ?? null)}
              onChange={(event) => {
                const text = event.currentTarget.value;
                setValues((before) => ({ ...before, [one.name]: text }));
              }}
            />
          ))}
        </Group>
        <Button type="submit" size="xs" loading={busy} disabled={attributes.length === 0}>
          Follow the event
        </Button>
      </Stack>
    </form>
  );
}

function Answer({
  found,
  network,
  step,
  onStep,
  onSelect,
}: {
  found: Explanation;
  network: Network;
  step: number | null;
  onStep: (step: number) => void;
  onSelect: (selection: Selection) => void;
}) {
  const depth = hopDepths(found.path);
  const last = Math.max(0, ...depth);
  const hosts = hostOutcomes(found);
  return (
    <>
      {found.event.problem && (
        <Text size="sm">It is not sent: {found.event.problem.replaceAll("_", " ")}.</Text>
      )}
      {found.path.length > 0 && (
        <>
          <Title order={3}>Hop by hop</Title>
          {last > 0 && (
            <Slider
              label={(value) => `after ${value} of ${last} links`}
              thumbLabel="How far it has come, in links"
              min={0}
              max={last}
              value={step ?? last}
              onChange={onStep}
              px="xs"
            />
          )}
          <List size="sm" type="ordered" data-hops>
            {found.path
              .filter(({ hop }) => (depth[hop] ?? 0) <= (step ?? last))
              .map((hop) => (
                <List.Item key={hop.hop}>
                  <Anchor
                    component="button"
                    size="sm"
                    onClick={() => onSelect({ kind: "switch", name: hop.switch })}
                  >
                    {nameOf(network, hop.switch)}
                  </Anchor>
                  {hop.entry ? (
                    <>
                      {" "}
                      meets <Code>{hop.entry.dst}</Code>
                      {hop.origin && hop.origin.kind !== "exact" ? ` (${hop.origin.kind})` : ""}, to{" "}
                      {hop.outputs
                        .map(({ port, next_switch, host }) =>
                          host ? host : next_switch ? nameOf(network, next_switch) : `port ${port}`,
                        )
                        .join(", ") || "nobody"}
                    </>
                  ) : (
                    " has no entry for it"
                  )}
                </List.Item>
              ))}
          </List>
        </>
      )}
      {found.loops && <Text c="red">The event loops.</Text>}
      <Verdicts what="Received by" rows={hosts.filter(({ received }) => received)} none="Nobody gets it." />
      <Verdicts what="Not received by" rows={hosts.filter(({ received }) => !received)} none="" />
      {found.real?.same === false && (
        <>
          <Title order={3}>The switches do something else</Title>
          <List size="sm">
            {found.real.differences.map((one) => (
              <List.Item key={one.switch + one.kind}>{one.detail}</List.Item>
            ))}
          </List>
        </>
      )}
      <Anchor
        component={Link}
        size="sm"
        to={`/explain?${new URLSearchParams({ publisher: found.event.advertisement ?? found.event.publisher ?? "", values: JSON.stringify(found.event.values) })}`}
      >
        All about this event on the page Explain
      </Anchor>
    </>
  );
}

function Verdicts({ what, rows, none }: { what: string; rows: HostOutcome[]; none: string }) {
  if (rows.length === 0) return none ? <Text size="sm">{none}</Text> : null;
  return (
    <section>
      <Title order={3}>{what}</Title>
      <List size="sm" data-verdicts={what}>
        {rows.slice(0, 50).map((row) => (
          <List.Item key={row.host}>
            <strong>{row.host}</strong>: {row.detail}
          </List.Item>
        ))}
      </List>
      {rows.length > 50 && <Text size="sm">and {rows.length - 50} more hosts</Text>}
    </section>
  );
}

/** What a field begins with: what the filter of the advertisement says of it, or the least value. */
export function initialValue(attribute: Schemas["Attribute"], filter: string | null): string {
  const named = new RegExp(
    `(?:^|[^\\w.])${escapeRegExp(attribute.name)}\\s*(?:==?|>=|in\\s*[[(])\\s*(${QUOTED}|[^\\s,\\])]+)`,
  );
  const found = filter && named.exec(filter)?.[1];
  if (found) return found.startsWith('"') ? unquote(found) : found;
  if ("values" in attribute && attribute.values) return attribute.values[0] ?? "";
  if (attribute.type === "bool") return "false";
  if (attribute.type === "string") return "";
  return String(("min" in attribute && attribute.min) || 0);
}
