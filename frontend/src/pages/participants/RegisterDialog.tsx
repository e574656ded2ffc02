import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { Picker } from "@/common/forms/Picker";
import { RegisterHost } from "@/common/forms/RegisterHost";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { register } from "./calls";
import type { Side } from "./kinds";

const FIELDS = ["name", "host"];

/** Registers a publisher or subscriber at a host; `onDone` goes on with announcing for it. */
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
    onSuccess: (made, { next }) => {
      queries.invalidateQueries({ queryKey: [`/api/v1/${side.owners}/`] });
      notifications.show({ message: `${made.name} was registered at ${made.host}.`, color: "green" });
      if (next) onDone(made.name);
      else onClose();
    },
  });
  const problem = save.error ? asProblem(save.error) : null;
  const errors = problem ? byField(problem, FIELDS) : {};
  return (
    <Modal opened onClose={onClose} title={`New ${side.who}`} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ next: true });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description={`${side.who === "publisher" ? "Advertisements" : "Subscriptions"} name it; it cannot be changed.`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <Picker
            path="/api/v1/hosts/"
            label="Host"
            description={side.who === "publisher" ? "Where it sends from." : "Where it receives."}
            value={host}
            onChange={setHost}
            error={errors.host}
            none="No host is called like that. Register it first: below."
            required
          />
          {mayHosts && (
            <Anchor component="button" type="button" size="sm" onClick={() => setNewHost(true)}>
              Register a host that is not listed
            </Anchor>
          )}
          {newHost && <RegisterHost onClose={() => setNewHost(false)} onDone={setHost} />}
          {problem && Object.keys(errors).length === 0 && <ProblemAlert problem={problem} />}
          {Object.keys(errors).length > 0 && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              It was not registered; what is wrong is told at the fields.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              variant="default"
              onClick={() => save.mutate({ next: false })}
              disabled={save.isPending || !name.trim() || !host}
            >
              Register
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!name.trim() || !host}>
              Register and {side.verb.toLowerCase()}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
