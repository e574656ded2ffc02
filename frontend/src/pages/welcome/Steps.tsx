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

const KINDS = ["switches", "hosts", "topics", "advertisements", "subscriptions"] as const;
type Kind = (typeof KINDS)[number];

const STEPS: readonly { kind: Kind; title: string; to: string; action: string }[] = [
  { kind: "switches", title: "A network of switches", to: "/network", action: "See the network" },
  { kind: "hosts", title: "Hosts at them", to: "", action: "Register a host" },
  { kind: "topics", title: "A topic: what events consist of", to: "/topics", action: "Make a topic" },
  {
    kind: "advertisements",
    title: "A publisher that says what it sends",
    to: "/participants",
    action: "Register one",
  },
  {
    kind: "subscriptions",
    title: "A subscriber that says what it wants",
    to: "/participants?tab=subscribers",
    action: "Register one",
  },
];

/** How many of each there are; refreshed as they come. */
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

/** What is there and what is left to do, up to the first delivered event. */
export function Steps() {
  const { data: counts } = useCounts();
  const [registering, setRegistering] = useState(false);
  const mayRegister = useMay("hosts", "POST");
  if (!counts) return null;
  const next = STEPS.find(({ kind }) => counts[kind] === 0);
  return (
    <section aria-label="To the first event">
      <Title order={2} mb="xs">
        To the first event
      </Title>
      <List spacing={6} center>
        {STEPS.map(({ kind, title, to, action }) => {
          const done = counts[kind] > 0;
          return (
            <List.Item
              key={kind}
              data-step={kind}
              data-done={done}
              icon={
                <ThemeIcon size={22} radius="xl" variant="light" color={done ? "green" : "gray"}>
                  {done ? (
                    <IconCheck size={14} aria-label="done" />
                  ) : (
                    <IconCircle size={14} aria-label="to do" />
                  )}
                </ThemeIcon>
              }
            >
              <Group gap="xs">
                <Text size="sm">
                  {title}
                  {done ? ` (${counts[kind].toLocaleString()})` : ""}
                </Text>
                {kind === "hosts" && mayRegister && counts.switches > 0 && (
                  <Anchor component="button" type="button" size="sm" onClick={() => setRegistering(true)}>
                    {done ? "Register another" : action}
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
              See the network
            </Button>
          </Group>
        </Stack>
      )}
    </section>
  );
}
