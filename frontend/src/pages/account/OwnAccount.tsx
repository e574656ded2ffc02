import {
  Badge,
  Button,
  Card,
  Group,
  PasswordInput,
  SimpleGrid,
  Spoiler,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { useMay, useMe } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { passwordProblem, sumOf } from "./rights";
import { text } from "./text";

/** Current user: role, permissions and password. */
export function OwnAccount() {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Rights />
      <Password />
    </SimpleGrid>
  );
}

function Rights() {
  const { data: me, error, refetch } = useMe();
  if (error) return <ProblemAlert problem={error} retry={() => refetch()} />;
  if (!me) return null;
  const { reads, writes } = sumOf(me.may);
  return (
    <Card withBorder component="section" aria-label={text.own.label}>
      <Group justify="space-between">
        <Title order={2}>{me.username}</Title>
        <Badge variant="light">{me.role}</Badge>
      </Group>
      <Text size="sm" mt="xs">
        {text.roles[me.role]}
      </Text>
      <Text size="sm" mt="xs">
        {writes.length > 0 ? text.own.readsAndWrites(reads, writes.length) : text.own.reads(reads)}
      </Text>
      {writes.length > 0 && (
        <Spoiler maxHeight={41} showLabel={text.own.showAll} hideLabel={text.own.showFewer}>
          <Text size="sm" c="dimmed">
            {writes.join(", ")}
          </Text>
        </Spoiler>
      )}
      {me.role !== "administrator" && (
        <Text size="sm" mt="xs" c="dimmed">
          {text.own.otherRole}
        </Text>
      )}
    </Card>
  );
}

function Password() {
  const may = useMay("me/password", "POST");
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const change = useMutation({
    mutationFn: () => api.POST("/api/v1/me/password/", { body: { current, password } }),
    onSuccess: () => {
      for (const empty of [setCurrent, setPassword, setAgain]) empty("");
      notifications.show({
        message: text.password.changed,
        color: "green",
      });
    },
  });
  if (!may) return null;
  const problems = change.error ? byField(asProblem(change.error), ["current", "password"]) : {};
  const unlike = again ? passwordProblem(password, again) : null;
  return (
    <Card withBorder component="section" aria-label={text.password.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Stack gap="sm">
          <Title order={2}>{text.password.title}</Title>
          <PasswordInput
            label={text.password.current}
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            error={problems.current}
            required
            withAsterisk={false}
          />
          <PasswordInput
            label={text.password.new}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problems.password}
            required
            withAsterisk={false}
          />
          <PasswordInput
            label={text.password.repeat}
            autoComplete="new-password"
            value={again}
            onChange={(event) => setAgain(event.currentTarget.value)}
            error={unlike}
            required
            withAsterisk={false}
          />
          <ProblemAlert problem={change.error} />
          <Group>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!current || !password || password !== again}
            >
              {text.password.change}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
