import { Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Schemas } from "@/api/client";
import { asFields, asValue, readValues } from "@/common/formatting/event";
import { advertisementName } from "@/common/formatting/names";
import { readPage } from "@/common/tables/list";
import { text } from "../text";
import { initialValue, type PathQuestion } from "./pathQuestion";

/** Form for an advertisement, and for a value of each attribute of its topic. */
export function QuestionForm({
  question,
  onAsk,
  busy,
}: {
  question: PathQuestion;
  onAsk: (question: PathQuestion) => void;
  busy: boolean;
}) {
  const [publisher, setPublisher] = useState(question.publisher);
  const [values, setValues] = useState<Record<string, string>>(() =>
    asFields(readValues(question.values) ?? {}),
  );
  const { data: advertisements } = useQuery({
    queryKey: ["/api/v1/advertisements/", "choices"],
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
  const event = Object.fromEntries(
    attributes.map((one) => [
      one.name,
      asValue(values[one.name] ?? initialValue(one, meant?.filter ?? null), one.type),
    ]),
  );
  if (advertisements?.results.length === 0) return <Text size="sm">{text.path.none}</Text>;
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault();
        onAsk({ publisher, values: JSON.stringify(event) });
      }}
    >
      <Stack gap="xs">
        <Select
          label={text.path.advertisement}
          size="xs"
          data={(advertisements?.results ?? []).map((one) => ({
            value: advertisementName(one.id),
            label: text.path.option(one.publisher, one.topic, one.filter ?? text.byDz),
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
              onChange={({ currentTarget }) => {
                const typed = currentTarget.value;
                setValues((before) => ({ ...before, [one.name]: typed }));
              }}
            />
          ))}
        </Group>
        <Button type="submit" size="xs" loading={busy} disabled={attributes.length === 0}>
          {text.path.trace}
        </Button>
      </Stack>
    </form>
  );
}
