import { Badge, Button, Card, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useNetworkRequest } from "@/api/request";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { formatMeasure } from "./series";

type Proposal = Schemas["Proposal"];
const PROPOSALS = "/api/v1/analytics/proposals/";
const METHOD: Record<string, string> = {
  current: "what is indexed now",
  all: "all attributes",
  spectral: "spectral (PLEROMA)",
  greedy: "greedy",
};
const COLOR: Record<string, string> = { open: "teal", applying: "orange", applied: "green", failed: "red" };

/** What topics could index instead: expected and measured effect, to be applied and taken back. */
export function Proposals({ topic, topics }: { topic: string; topics: string[] }) {
  const list = useList<Proposal>(PROPOSALS, { topic }, { name: "proposals", limit: 10 });
  useLiveRefresh(["request", "move"], [PROPOSALS]);
  return (
    <section aria-label="Proposals">
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2}>Proposals</Title>
          <Text size="sm" c="dimmed">
            From samples of events and the live subscriptions; nothing changes until one is applied.
          </Text>
        </div>
        <Compute topic={topic} topics={topics} />
      </Group>
      <ProblemAlert problem={list.error} retry={list.refetch} />
      {!list.loading && list.rows.length === 0 && (
        <Empty cause="No proposal yet. One needs 40 samples of events of the topic, and its subscriptions." />
      )}
      <Stack>
        {list.rows.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} />
        ))}
      </Stack>
    </section>
  );
}

function Compute({ topic, topics }: { topic: string; topics: string[] }) {
  const may = useMay("analytics/proposals", "POST");
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const name = topic || chosen || (topics.length === 1 ? (topics[0] ?? null) : null);
  const compute = useMutation({
    mutationFn: async (body: { topic: string }) => (await api.POST(PROPOSALS, { body })).data,
    onSuccess: (made) =>
      notifications.show({ message: `Proposal ${made?.id} for ${made?.topic} is there.`, color: "green" }),
    onSettled: () => queries.invalidateQueries({ queryKey: [PROPOSALS] }),
  });
  if (!may) return null;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {!topic && topics.length > 1 && (
          <Select
            aria-label="Topic of the proposal"
            placeholder="Topic"
            data={topics}
            value={chosen}
            onChange={setChosen}
            searchable
          />
        )}
        <Button
          disabled={!name}
          loading={compute.isPending}
          onClick={() => name && compute.mutate({ topic: name })}
        >
          Compute a proposal
        </Button>
      </Group>
      <ProblemAlert problem={compute.error} />
    </Stack>
  );
}

function ProposalCard({ proposal }: { proposal: Proposal }) {
  const may = useMay("analytics/proposals", "POST");
  const same = proposal.before.join() === proposal.indexed.join();
  return (
    <Card withBorder padding="sm" data-proposal={proposal.id}>
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={3}>
            {proposal.topic}, proposal {proposal.id}
          </Title>
          <Badge variant="light" color={COLOR[proposal.state] ?? "gray"}>
            {proposal.state}
          </Badge>
        </Group>
        <Text size="xs" c="dimmed">
          <Time at={proposal.created_at} />
        </Text>
      </Group>
      <Text size="sm" my={4}>
        {same
          ? `Stay with ${proposal.before.join(", ")}: nothing else delivers less that nobody wants.`
          : `Index ${proposal.indexed.join(", ")} instead of ${proposal.before.join(", ")}.`}
      </Text>
      <Effect proposal={proposal} />
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={`Candidates of proposal ${proposal.id}`} mt="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Choice</Table.Th>
              <Table.Th>Attributes</Table.Th>
              <Table.Th ta="right">False positives</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Cells
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {proposal.candidates.map((one) => (
              <Table.Tr key={one.method} fw={one.method === proposal.method ? 600 : undefined}>
                <Table.Td>{METHOD[one.method] ?? one.method}</Table.Td>
                <Table.Td>{one.indexed.join(", ")}</Table.Td>
                <Table.Td ta="right">{`${formatMeasure(one.fpr)} %`}</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {one.cells.toLocaleString()}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {may && (
        <Group mt="xs">
          {proposal.state === "open" && !same && <Apply proposal={proposal} />}
          {proposal.state === "applied" && <Revert proposal={proposal} />}
        </Group>
      )}
    </Card>
  );
}

function Effect({ proposal }: { proposal: Proposal }) {
  const expected = `Expected to spare ${formatMeasure(proposal.saved)} ± ${formatMeasure(proposal.standard_error)} unwanted deliveries an event, judged by ${proposal.judged_by.toLocaleString()} events.`;
  const { before, after } = proposal.measured ?? {};
  return (
    <Stack gap={2}>
      <Text size="sm">{expected}</Text>
      {before && after && (
        <Text size="sm">
          Measured: {percent(before.fpr)} false positives in the time before, {percent(after.fpr)} since then
          ({after.delivered.toLocaleString()} deliveries).
        </Text>
      )}
    </Stack>
  );
}

function Apply({ proposal }: { proposal: Proposal }) {
  return (
    <Act
      proposal={proposal}
      action="Apply"
      title={`Index ${proposal.indexed.join(", ")}?`}
      done={`${proposal.topic} indexes ${proposal.indexed.join(", ")}.`}
      send={async (id) =>
        (await api.POST("/api/v1/analytics/proposals/{id}/apply/", { params: { path: { id } } })).data
      }
    >
      All filters of {proposal.topic} are encoded anew and installed beside the old entries; publishers change
      over, then the old entries go. Events are neither lost nor doubled where switches have room for both.
    </Act>
  );
}

function Revert({ proposal }: { proposal: Proposal }) {
  return (
    <Act
      proposal={proposal}
      action="Go back"
      title={`Index ${proposal.before.join(", ")} again?`}
      done={`${proposal.topic} indexes ${proposal.before.join(", ")} again.`}
      send={async (id) =>
        (await api.POST("/api/v1/analytics/proposals/{id}/revert/", { params: { path: { id } } })).data
      }
    >
      The topic indexes what it did before. It no longer chooses by itself what it indexes, since it would
      choose the same again.
    </Act>
  );
}

function Act({
  proposal,
  action,
  title,
  done,
  send,
  children,
}: {
  proposal: Proposal;
  action: string;
  title: string;
  done: string;
  send: (id: string) => Promise<Schemas["Request"] | undefined>;
  children: React.ReactNode;
}) {
  const [asked, setAsked] = useState(false);
  const act = useNetworkRequest(send, {
    what: done,
    refresh: [[PROPOSALS], ["analytics"], ["/api/v1/topics/"]],
  });
  return (
    <>
      <Button variant={action === "Apply" ? "filled" : "default"} onClick={() => setAsked(true)}>
        {action}
      </Button>
      <ConfirmDialog
        opened={asked}
        title={title}
        action={action}
        busy={act.isPending}
        problem={act.error}
        onConfirm={() => act.mutate(String(proposal.id), { onSuccess: () => setAsked(false) })}
        onClose={() => setAsked(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}

function percent(value: number | null): string {
  return value === null ? "no" : `${formatMeasure(value)} %`;
}
