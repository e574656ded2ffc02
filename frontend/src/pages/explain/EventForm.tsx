import { Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "@/api/client";
import { asProblem, type FieldError } from "@/api/problems";
import { type Attribute, asFields, asValues, describeValues, type Fields } from "@/common/formatting/event";
import { chooseOnEnter } from "@/common/forms/chooseOnEnter";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { PastEvents } from "./PastEvents";
import { resolvePublisher } from "./publisherReference";
import type { Question } from "./question";
import { text } from "./text";

const SHOWN = 50;

/** Form for an event: publisher, topic, and one field per attribute of the topic. */
export function EventForm({
  publisher: given,
  topic: givenTopic,
  values,
  problem,
  onAsk,
}: Question & { problem: unknown; onAsk: (question: Question) => void }) {
  const [publisher, setPublisher] = useState(given);
  const [chosen, setChosen] = useState(givenTopic);
  const [fields, setFields] = useState<Fields>(() => asFields(values));
  const [picking, setPicking] = useState(false);
  const topics = useTopics(publisher);
  const names = topics.data ?? [];
  const topic = names.includes(chosen) || (chosen && !topics.data) ? chosen : (names[0] ?? chosen);
  const attributes = useAttributes(topic);
  const [wrong, others] = places(problem);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (publisher && attributes.data) onAsk({ publisher, topic, values: asValues(fields, attributes.data) });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Group align="end" gap="xs">
          <Publisher value={publisher} onChange={setPublisher} error={wrong.publisher} />
          <Select
            label={text.form.topic}
            data={names.includes(topic) || !topic ? names : [topic, ...names]}
            value={topic || null}
            onChange={(value) => setChosen(value ?? "")}
            allowDeselect={false}
            disabled={!publisher}
            error={wrong.topic}
          />
          <Button variant="default" onClick={() => setPicking(true)}>
            {text.form.selectPast}
          </Button>
        </Group>
        {attributes.data && publisher && (
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} maw={900}>
            {attributes.data.map((attribute) => (
              <Field
                key={attribute.name}
                attribute={attribute}
                value={fields[attribute.name] ?? ""}
                onChange={(value) => setFields({ ...fields, [attribute.name]: value })}
                error={wrong[`/${attribute.name}`]}
              />
            ))}
          </SimpleGrid>
        )}
        {topics.data?.length === 0 && publisher && <Text size="sm">{text.form.noAdvertisement}</Text>}
        <ProblemAlert problem={topics.error ?? attributes.error} />
        {others && <ProblemAlert problem={problem} />}
        <Button type="submit" disabled={!publisher || !attributes.data} w="fit-content">
          {text.form.submit}
        </Button>
      </Stack>
      <PastEvents
        opened={picking}
        publisher={publisher}
        onClose={() => setPicking(false)}
        onPick={(asked) => {
          setPicking(false);
          onAsk(asked);
        }}
      />
    </form>
  );
}

/** Return the errors by field, and whether no error belongs to a field. */
function places(problem: unknown): [Record<string, string>, boolean] {
  if (!problem) return [{}, false];
  const { errors } = asProblem(problem);
  const at = ({ parameter, pointer }: FieldError) => (parameter === "values" ? pointer : parameter) ?? "";
  const placed = errors.filter((error) => at(error) !== "");
  return [Object.fromEntries(placed.map((error) => [at(error), error.detail])), placed.length === 0];
}

function Field({
  attribute,
  value,
  onChange,
  error,
}: {
  attribute: Attribute;
  value: string;
  onChange: (value: string) => void;
  error?: string;
}) {
  const { name, type } = attribute;
  const choices = type === "bool" ? ["true", "false"] : type === "enum" ? (attribute.values ?? []) : null;
  const common = { label: name, error };
  if (choices) {
    return (
      <Select {...common} data={[...choices]} value={value || null} onChange={(one) => onChange(one ?? "")} />
    );
  }
  return (
    <TextInput
      {...common}
      description={describeValues(attribute)}
      inputMode={type === "int" ? "numeric" : type === "float" ? "decimal" : undefined}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Read the first publishers whose name contains the text. */
export function usePublishers(search: string) {
  return useQuery({
    queryKey: ["/api/v1/publishers/", "names", search],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (
        await readPage<{ name: string }>(
          "/api/v1/publishers/",
          { q: search, ordering: "name", limit: SHOWN },
          signal,
        )
      ).results,
  });
}

/** Field that selects a publisher. The server searches by name. */
function Publisher({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (name: string) => void;
  error?: string;
}) {
  const [typed, setTyped] = useState(value);
  const [search] = useDebouncedValue(typed === value ? "" : typed, 200);
  const found = usePublishers(search);
  const names = found.data?.map(({ name }) => name) ?? [];
  return (
    <Select
      label={text.form.publisher}
      data={value && !names.includes(value) ? [value, ...names] : names}
      value={value || null}
      onChange={(name) => onChange(name ?? "")}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? common.picker.searching : text.form.noPublisher}
      error={error ?? (found.error ? asProblem(found.error).detail : undefined)}
      selectFirstOptionOnChange
      onKeyDown={(event) => chooseOnEnter(event, typed !== value, names, onChange)}
    />
  );
}

/** Read the topics that a publisher advertises, without duplicates. */
export function useTopics(publisher: string) {
  return useQuery({
    queryKey: ["/api/v1/advertisements/", "topics", publisher],
    enabled: publisher !== "",
    queryFn: async ({ signal }) => {
      const { advertisement } = await resolvePublisher(publisher, signal);
      const query =
        advertisement !== null
          ? { id: advertisement }
          : { publisher, state__in: "queued,planning,deploying,active", limit: 1_000 };
      const { data } = await api.GET("/api/v1/advertisements/", { params: { query }, signal });
      return [...new Set(data?.results.map(({ topic }) => topic))];
    },
  });
}

function useAttributes(topic: string) {
  return useQuery({
    queryKey: ["/api/v1/topics/", "attributes", topic],
    enabled: topic !== "",
    queryFn: async ({ signal }) => {
      const { data } = await api.GET("/api/v1/topics/", { params: { query: { name: topic } }, signal });
      return data?.results[0]?.attributes ?? [];
    },
  });
}
