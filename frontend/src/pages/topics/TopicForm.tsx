import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Modal,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useNavigate } from "react-router";
import { api } from "@/api/client";
import { asProblem } from "@/api/problems";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { blank, type Draft, errorsOf, fieldKey, TYPES, type Type, topicBody } from "./attributes";
import { text } from "./text";

interface SentDraft {
  name: string;
  drafts: Draft[];
  seal: boolean;
}

/** Form that creates a topic. Errors of the server appear at their field. */
export function TopicForm({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [name, setName] = useState("");
  const [drafts, setDrafts] = useState<Draft[]>(() => [blank()]);
  const [seal, setSeal] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const phone = useMediaQuery("(max-width: 48em)");
  const add = useRef<HTMLButtonElement>(null);
  const create = useMutation({
    mutationFn: async (sent: SentDraft) => {
      const topic = topicBody(sent.name, sent.drafts);
      const body = (sent.seal ? { ...topic, seal: true } : topic) as never;
      return (await api.POST("/api/v1/topics/", { body })).data;
    },
    onSuccess: async (_, sent) => {
      const created = sent.name.trim();
      await queries.invalidateQueries({ queryKey: ["/api/v1/topics/"] });
      notifications.show({ message: text.form.created(created), color: "green" });
      onClose();
      setName("");
      setDrafts([blank()]);
      setSeal(false);
      navigate(`/topics/${encodeURIComponent(created)}`);
    },
  });
  const problem = create.error ? asProblem(create.error) : null;
  const errors = errorsOf(problem, create.variables?.drafts ?? []);
  const fields = ["", "name", "type", "min", "max", "values"];
  const shown = [
    "/name",
    "/indexed",
    "/seal",
    ...drafts.flatMap((draft) => fields.map((field) => fieldKey(draft, field))),
  ];
  const placed = shown.some((one) => one in errors);
  const elsewhere = problem && (errors[""] || Object.keys(errors).length === 0);
  const change = (key: number, values: Partial<Draft>) =>
    setDrafts((now) => now.map((one) => (one.key === key ? { ...one, ...values } : one)));
  const move = (at: number, by: number) =>
    setDrafts((now) => {
      const after = [...now];
      const [taken] = after.splice(at, 1);
      if (taken) after.splice(at + by, 0, taken);
      return after;
    });
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={text.form.title}
      size="lg"
      fullScreen={phone}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({ name, drafts, seal });
        }}
      >
        <Stack>
          <TextInput
            label={text.form.name}
            description={text.form.nameHelp}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors["/name"]}
            required
            data-autofocus
          />
          <Text size="sm" c="dimmed" component="div">
            {text.form.order} <HelpIcon term="notIndexed" />
          </Text>
          {drafts.map((draft, n) => (
            <AttributeFields
              key={draft.key}
              draft={draft}
              at={n}
              of={drafts.length}
              errors={errors}
              change={(values) => change(draft.key, values)}
              move={(by) => move(n, by)}
              remove={() => {
                setDrafts((now) => now.filter(({ key }) => key !== draft.key));
                add.current?.focus();
              }}
            />
          ))}
          <Button
            ref={add}
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setDrafts((now) => [...now, blank()])}
            w="fit-content"
          >
            {text.form.add}
          </Button>
          <Group gap={4} wrap="nowrap" align="flex-start">
            <Checkbox
              label={text.form.seal}
              description={text.form.sealHelp}
              checked={seal}
              onChange={(event) => setSeal(event.currentTarget.checked)}
              error={errors["/seal"]}
            />
            <HelpIcon term="seal" />
          </Group>
          {errors["/indexed"] && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {errors["/indexed"]}
            </Text>
          )}
          {elsewhere && <ProblemAlert problem={problem} />}
          {placed && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {text.form.invalid}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={create.isPending}>
              {text.form.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function AttributeFields({
  draft,
  at,
  of,
  errors,
  change,
  move,
  remove,
}: {
  draft: Draft;
  at: number;
  of: number;
  errors: Record<string, string>;
  change: (values: Partial<Draft>) => void;
  move: (by: number) => void;
  remove: () => void;
}) {
  const labels = text.form.attribute;
  const error = (field: string) => errors[fieldKey(draft, field)];
  const numeric = draft.type === "int" || draft.type === "float";
  return (
    <Fieldset legend={labels.legend(at + 1)} p="sm">
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
          <TextInput
            label={labels.name}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            error={error("name")}
            required
          />
          <Select
            label={labels.type}
            data={TYPES}
            value={draft.type}
            onChange={(type) => type && change({ type: type as Type })}
            error={error("type")}
            allowDeselect={false}
          />
          {numeric && (
            <TextInput
              label={labels.min}
              inputMode="decimal"
              value={draft.min}
              onChange={(event) => change({ min: event.currentTarget.value })}
              error={error("min")}
            />
          )}
          {numeric && (
            <TextInput
              label={labels.max}
              inputMode="decimal"
              value={draft.max}
              onChange={(event) => change({ max: event.currentTarget.value })}
              error={error("max")}
            />
          )}
        </SimpleGrid>
        {draft.type === "enum" && (
          <Textarea
            label={labels.values}
            autosize
            minRows={2}
            maxRows={8}
            value={draft.values}
            onChange={(event) => change({ values: event.currentTarget.value })}
            error={error("values")}
          />
        )}
        <Text size="xs" c="dimmed">
          {labels.types[draft.type]}
        </Text>
        {errors[fieldKey(draft)] && (
          <Text c="var(--mantine-color-error)" size="sm">
            {errors[fieldKey(draft)]}
          </Text>
        )}
        <Group justify="space-between">
          <Checkbox
            label={labels.indexed}
            checked={draft.indexed}
            onChange={(event) => change({ indexed: event.currentTarget.checked })}
          />
          <Group gap={4}>
            <ActionIcon
              variant="default"
              aria-label={labels.moveUp(at + 1)}
              disabled={at === 0}
              onClick={() => move(-1)}
            >
              <IconArrowUp size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={labels.moveDown(at + 1)}
              disabled={at === of - 1}
              onClick={() => move(1)}
            >
              <IconArrowDown size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={labels.remove(at + 1)}
              disabled={of === 1}
              onClick={remove}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        </Group>
      </Stack>
    </Fieldset>
  );
}
