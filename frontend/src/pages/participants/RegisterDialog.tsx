import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { Picker } from "@/common/forms/Picker";
import { RegisterHost } from "@/common/forms/RegisterHost";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { register } from "./calls";
import type { Side } from "./kinds";
import { text } from "./text";

const FIELDS = ["name", "host"];

/** Dialog that registers a participant; `onDone` continues with its first announcement. */
export function RegisterDialog({
  side,
  onClose,
  onDone,
}: {
  side: Side;
  onClose: () => void;
  onDone: (name: string) => void;
}) {
  const [name, setName] = useState("");
  const [host, setHost] = useState("");
  const [newHost, setNewHost] = useState(false);
  const mayHosts = useMay("hosts", "POST");
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (_: { next: boolean }) => register(side, name.trim(), host),
    onSuccess: (registered, { next }) => {
      queries.invalidateQueries({ queryKey: [`/api/v1/${side.owners}/`] });
      notifications.show({
        message: text.registration.registered(registered.name, registered.host),
        color: "green",
      });
      if (next) onDone(registered.name);
      else onClose();
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const errors = problem ? byField(problem, FIELDS) : {};
  return (
    <Modal
      opened
      onClose={onClose}
      title={text[side.who].register}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ next: true });
        }}
      >
        <Stack>
          <TextInput
            label={text.registration.name}
            description={text[side.who].nameHelp}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <Picker
            path="/api/v1/hosts/"
            label={text.registration.host}
            description={text[side.who].hostHelp}
            value={host}
            onChange={setHost}
            error={errors.host}
            none={text.registration.noHost}
            required
          />
          {mayHosts && (
            <Anchor component="button" type="button" size="sm" onClick={() => setNewHost(true)}>
              {text.registration.newHost}
            </Anchor>
          )}
          {newHost && <RegisterHost onClose={() => setNewHost(false)} onDone={setHost} />}
          {problem && Object.keys(errors).length === 0 && <ProblemAlert problem={problem} />}
          {Object.keys(errors).length > 0 && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {text.registration.invalid}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button
              variant="default"
              onClick={() => save.mutate({ next: false })}
              disabled={save.isPending || !name.trim() || !host}
            >
              {text.registration.submit}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!name.trim() || !host}>
              {text[side.who].registerAndAnnounce}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
