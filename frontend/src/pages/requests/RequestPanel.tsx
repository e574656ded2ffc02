import { Alert, Anchor, Badge, Code, Group, Loader, Progress, Stack, Text, Timeline } from "@mantine/core";
import { IconClockPause } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { Time } from "@/common/formatting/time";
import { CopyText } from "@/common/layout/CopyText";
import { Facts } from "@/common/layout/Facts";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { SidePanel } from "@/common/layout/SidePanel";
import { MergingNote } from "@/common/requests/MergingNote";
import { UnreachableAlert } from "@/common/requests/Reachability";
import { StateBadge } from "@/common/requests/StateBadge";
import { FailureHelp } from "./FailureHelp";
import { kindWords, pageOf } from "./kinds";
import { Moves } from "./Moves";
import { span, steps, total } from "./stages";

const FINAL = ["active", "failed", "withdrawn"];

/** All about one request. */
export function RequestPanel({ id, onOpen }: { id: string; onOpen: (id: string | null) => void }) {
  const found = useQuery({
    queryKey: ["/api/v1/requests/", "one", id],
    enabled: id !== "",
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/requests/{id}/", { params: { path: { id } }, signal })).data,
  });
  const request = found.data;
  return (
    <SidePanel
      opened={id !== ""}
      onClose={() => onOpen(null)}
      title={request ? `Request ${request.id}: ${kindWords(request.kind)}` : `Request ${id}`}
    >
      {found.error ? (
        <ProblemAlert problem={found.error} retry={() => void found.refetch()} />
      ) : request ? (
        <Details request={request} onOpen={onOpen} />
      ) : (
        <Loader role="status" size="sm" aria-label="Loading" />
      )}
    </SidePanel>
  );
}

function Details({ request, onOpen }: { request: NetworkRequest; onOpen: (id: string | null) => void }) {
  const ended = FINAL.includes(request.state);
  const page = pageOf(request);
  const took = total(request.stage);
  return (
    <Stack gap="lg">
      <Group gap="sm" role="status" aria-label="State">
        <StateBadge state={request.state} />
        {took !== null && ended && <Text size="sm">after {span(took)}</Text>}
        {request.matched === false && (
          <Text size="sm">No advertisement overlaps it yet; it takes effect when one does.</Text>
        )}
      </Group>
      {!ended && <Progress value={request.progress * 100} aria-label="Progress" animated />}
      {request.state === "failed" && <FailureHelp request={request} onOpen={onOpen} />}
      {!ended && request.problem && <Waiting request={request} />}
      <UnreachableAlert reach={request.reach} unreachable={request.unreachable} />
      <Facts
        facts={[
          [
            "About",
            page && (
              <Anchor component={Link} to={page.to}>
                {page.label}
              </Anchor>
            ),
          ],
          ["Asks for", asks(request)],
          ["Entries", changes(request)],
          ["Merging", request.merging && <MergingNote key="merging" merging={request.merging} />],
          ["Switches", <Switches key="switches" request={request} />],
          [
            "Bulk call",
            request.operation && (
              <Anchor component={Link} to={`/requests?tab=calls&call=${tail(request.operation)}`}>
                Call {tail(request.operation)}, item {(request.index ?? 0) + 1}
              </Anchor>
            ),
          ],
          ["Id of the call", request.call && <CopyText text={request.call} what="the id of the call" />],
        ]}
      />
      <Stages request={request} />
      <Moves request={request} />
    </Stack>
  );
}

const tail = (url: string) => url.split("/").at(-2) ?? "";

function asks({ kind, asked }: NetworkRequest) {
  if (!asked) return null;
  if (kind === "set_budget")
    return asked.tcam_budget === null ? "any number of entries" : `${asked.tcam_budget} entries`;
  if (asked.method) return <Code>{asked.method}</Code>;
  if (asked.indexed) return asked.indexed.map((name) => <Code key={name}>{name}</Code>);
  if (asked.switch) return `port ${asked.port} of ${asked.switch}`;
  return null;
}

function changes({ added, modified, removed, state }: NetworkRequest) {
  if (added + modified + removed === 0) return state === "failed" ? null : "no table changed";
  return [added && `${added} added`, modified && `${modified} changed`, removed && `${removed} removed`]
    .filter(Boolean)
    .join(", ");
}

const MANY = 40;

/** The switches whose tables change, and whether they have confirmed. */
function Switches({ request: { switches, waits_for: waiting } }: { request: NetworkRequest }) {
  const names = [...new Set([...waiting, ...switches])];
  if (names.length === 0) return <>none is touched</>;
  return (
    <>
      <Text size="sm" w="100%">
        {names.length - waiting.length} of {names.length} {names.length === 1 ? "has" : "have"} confirmed
      </Text>
      {names.slice(0, MANY).map((name) => (
        <Badge
          key={name}
          variant="light"
          tt="none"
          color={waiting.includes(name) ? "orange" : "green"}
          component={Link}
          to={`/network?switch=${encodeURIComponent(name)}`}
          style={{ cursor: "pointer" }}
        >
          {name}
          {waiting.includes(name) ? ": waiting" : ""}
        </Badge>
      ))}
      {names.length > MANY && <Text size="sm">and {names.length - MANY} more</Text>}
    </>
  );
}

function Waiting({ request: { problem } }: { request: NetworkRequest }) {
  if (!problem) return null;
  return (
    <Alert color="orange" icon={<IconClockPause size={18} aria-hidden />} title={problem.title}>
      <Text size="sm">
        <InlineMarkup text={problem.detail || problem.switches.join(", ")} />
      </Text>
      <Text size="sm">{problem.remedy}</Text>
    </Alert>
  );
}

function Stages({ request: { stage, state } }: { request: NetworkRequest }) {
  const found = steps(stage);
  const reached = found.filter(({ at }) => at).length - 1;
  return (
    <Timeline active={reached} bulletSize={14} lineWidth={2} color={state === "failed" ? "red" : undefined}>
      {found.map(({ name, label, doing, at, took }) => (
        <Timeline.Item key={name} title={<Text size="sm">{label}</Text>} data-stage={name}>
          <Text size="sm" c="dimmed">
            <Time at={at} empty={state === "failed" ? "not reached" : "not yet"} />
            {took !== null && ` · ${span(took)} ${doing}`}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
