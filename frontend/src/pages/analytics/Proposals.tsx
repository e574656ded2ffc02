import { Badge, Button, Card, Group, Select, Stack, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useNetworkRequest } from "@/api/request";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { formatMeasure } from "./series";
import { text } from "./text";

type Proposal = Schemas["Proposal"];
const PROPOSALS = "/api/v1/analytics/proposals/";
const COLOR: Record<string, string> = { open: "teal", applying: "orange", applied: "green", failed: "red" };

/** Proposals for indexed attributes, with buttons that apply and revert them. */
export function Proposals({ topic, topics }: { topic: string; topics: string[] }) {
  const list = useList<Proposal>(PROPOSALS, { topic }, { name: "proposals", limit: 10 });
  useLiveRefresh(["request", "move"], [PROPOSALS]);
  return (
    <section aria-label={text.proposals.title}>
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2}>{text.proposals.title}</Title>
          <Text size="sm" c="dimmed">
            {text.proposals.description}
          </Text>
        </div>
        <Compute topic={topic} topics={topics} />
      </Group>
      <ProblemAlert problem={list.error} retry={list.refetch} />
      {!list.loading && list.rows.length === 0 && <Empty cause={text.proposals.none} />}
      <Stack>
        {list.rows.map((proposal, n) => (
          <ProposalCard key={proposal.id} proposal={proposal} hasHelp={n === 0} />
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
    onSuccess: (proposal) =>
      notifications.show({ message: text.proposals.ready(proposal?.id, proposal?.topic), color: "green" }),
    onSettled: () => queries.invalidateQueries({ queryKey: [PROPOSALS] }),
  });
  if (!may) return null;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {!topic && topics.length > 1 && (
          <Select
            aria-label={text.proposals.topicOf}
            placeholder={text.proposals.topic}
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
          {text.proposals.calculate}
        </Button>
      </Group>
      <ProblemAlert problem={compute.error} />
    </Stack>
  );
}

/** Proposal with its candidates. With `hasHelp`, its table has the help icons of the page. */
function ProposalCard({ proposal, hasHelp }: { proposal: Proposal; hasHelp: boolean }) {
  const may = useMay("analytics/proposals", "POST");
  const { before, after } = spaces(proposal);
  const same = JSON.stringify(before) === JSON.stringify(after);
  return (
    <Card withBorder padding="sm" data-proposal={proposal.id}>
      <Group justify="space-between">
        <Group gap="xs">
          <Title order={3}>{text.proposals.heading(proposal.id, proposal.topic)}</Title>
          <Badge variant="light" color={COLOR[proposal.state] ?? "gray"}>
            {proposal.state}
          </Badge>
        </Group>
        <Text size="xs" c="dimmed">
          <Time at={proposal.created_at} />
        </Text>
      </Group>
      <Text size="sm" my={4}>
        {same ? text.proposals.keep(label(before)) : text.proposals.change(label(after), label(before))}
      </Text>
      <Effect proposal={proposal} />
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={text.proposals.candidatesOf(proposal.id)} mt="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.proposals.choice}</Table.Th>
              <Table.Th>{text.proposals.attributes}</Table.Th>
              <Table.Th ta="right">
                {hasHelp ? (
                  <WithHelp term="falsePositive">{text.proposals.falsePositives}</WithHelp>
                ) : (
                  text.proposals.falsePositives
                )}
              </Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                {hasHelp ? <WithHelp term="cell">{text.proposals.cells}</WithHelp> : text.proposals.cells}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {proposal.candidates.map((one) => (
              <Table.Tr key={one.method} fw={one.method === proposal.method ? 600 : undefined}>
                <Table.Td>{text.proposals.methods[one.method] ?? one.method}</Table.Td>
                <Table.Td>{text.proposals.space(one.indexed.join(", "), one.cuts)}</Table.Td>
                <Table.Td ta="right">{text.proposals.rate(formatMeasure(one.fpr))}</Table.Td>
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

/** Indexed attributes and cuts before and after a proposal. */
interface Space {
  indexed: string[];
  cuts: unknown[];
}

function spaces(proposal: Proposal): { before: Space; after: Space } {
  const cuts = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : []);
  return {
    before: { indexed: proposal.before, cuts: cuts(proposal.before_cuts) },
    after: { indexed: proposal.indexed, cuts: cuts(proposal.cuts) },
  };
}

/** A space in words. A tree with n cuts has n + 1 leaves. */
function label(space: Space): string {
  return text.proposals.space(space.indexed.join(", "), Math.floor(space.cuts.length / 2));
}

function Effect({ proposal }: { proposal: Proposal }) {
  const expected = text.proposals.saved(
    formatMeasure(proposal.saved),
    formatMeasure(proposal.standard_error),
    proposal.judged_by,
  );
  const { before, after } = proposal.measured ?? {};
  return (
    <Stack gap={2}>
      <Text size="sm">{expected}</Text>
      {before && after && (
        <Text size="sm">
          {text.proposals.measured(formatRate(before.fpr), formatRate(after.fpr), after.delivered)}
        </Text>
      )}
    </Stack>
  );
}

function Apply({ proposal }: { proposal: Proposal }) {
  return (
    <Act
      proposal={proposal}
      action={text.proposals.apply}
      title={text.proposals.applyTitle(label(spaces(proposal).after))}
      done={text.proposals.applied(proposal.topic, label(spaces(proposal).after))}
      primary
      send={async (id) =>
        (await api.POST("/api/v1/analytics/proposals/{id}/apply/", { params: { path: { id } } })).data
      }
    >
      {text.proposals.applyEffect(proposal.topic)}
    </Act>
  );
}

function Revert({ proposal }: { proposal: Proposal }) {
  return (
    <Act
      proposal={proposal}
      action={text.proposals.revert}
      title={text.proposals.revertTitle(label(spaces(proposal).before))}
      done={text.proposals.reverted(proposal.topic, label(spaces(proposal).before))}
      send={async (id) =>
        (await api.POST("/api/v1/analytics/proposals/{id}/revert/", { params: { path: { id } } })).data
      }
    >
      {text.proposals.revertEffect}
    </Act>
  );
}

function Act({
  proposal,
  action,
  title,
  done,
  primary = false,
  send,
  children,
}: {
  proposal: Proposal;
  action: string;
  title: string;
  done: string;
  primary?: boolean;
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
      <Button variant={primary ? "filled" : "default"} onClick={() => setAsked(true)}>
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

function formatRate(rate: number | null): string {
  return rate === null ? text.proposals.notMeasured : text.proposals.rate(formatMeasure(rate));
}
