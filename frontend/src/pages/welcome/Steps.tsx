import { Anchor, Button, Group, List, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import { RegisterHost } from "@/common/forms/RegisterHost";
import { readPage } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { TestEvent } from "./TestEvent";
import { text } from "./text";

const KINDS = ["switches", "hosts", "topics", "advertisements", "subscriptions"] as const;
type Kind = (typeof KINDS)[number];

const STEPS: readonly { kind: Kind; to: string }[] = [
  { kind: "switches", to: "/network" },
  { kind: "hosts", to: "" },
  { kind: "topics", to: "/topics" },
  { kind: "advertisements", to: "/participants" },
  { kind: "subscriptions", to: "/participants?tab=subscribers" },
];

/** Query for the number of objects of each kind. */
export function useCounts() {
  useLiveRefresh(["request", "requests", "switch"], ["counts"]);
  return useQuery({
    queryKey: ["counts"],
    refetchInterval: 3_000,
    queryFn: async ({ signal }) => {
      const ask = async (kind: Kind) =>
        (await readPage(`/api/v1/${kind}/`, { limit: 1, count: true }, signal)).count ?? 0;
      const found = await Promise.all(KINDS.map(ask));
      return Object.fromEntries(KINDS.map((kind, i) => [kind, found[i] ?? 0])) as Record<Kind, number>;
    },
  });
}

/** Steps up to the first delivered event, with those that are done. */
export function Steps() {
  const { data: counts } = useCounts();
  const [registering, setRegistering] = useState(false);
  const mayRegister = useMay("hosts", "POST");
  if (!counts) return null;
  const next = STEPS.find(({ kind }) => counts[kind] === 0);
  return (
    <section aria-label={text.steps.label}>
      <Title order={2} mb="xs">
        {text.steps.label}
      </Title>
      <List spacing={6} center>
        {STEPS.map(({ kind, to }) => {
          const done = counts[kind] > 0;
          const title = text.steps.titles[kind];
          const action = text.steps.actions[kind];
          return (
            <List.Item
              key={kind}
              data-step={kind}
              data-done={done}
              icon={
                <ThemeIcon size={22} radius="xl" variant="light" color={done ? "green" : "gray"}>
                  {done ? (
                    <IconCheck size={14} aria-label={text.steps.done} />
                  ) : (
                    <IconCircle size={14} aria-label={text.steps.open} />
                  )}
                </ThemeIcon>
              }
            >
              <Group gap="xs">
                <Text size="sm">{done ? text.steps.count(title, counts[kind]) : title}</Text>
                {kind === "hosts" && mayRegister && counts.switches > 0 && (
                  <Anchor component="button" type="button" size="sm" onClick={() => setRegistering(true)}>
                    {done ? text.steps.anotherHost : action}
                  </Anchor>
                )}
                {next?.kind === kind && to && kind !== "switches" && (
                  <Anchor component={Link} to={to} size="sm">
                    {action}
                  </Anchor>
                )}
              </Group>
            </List.Item>
          );
        })}
      </List>
      {registering && <RegisterHost onClose={() => setRegistering(false)} />}
      {!next && (
        <Stack mt="md" gap="sm">
          <TestEvent />
          <Group>
            <Button component={Link} to="/network">
              {text.steps.network}
            </Button>
          </Group>
        </Stack>
      )}
    </section>
  );
}
