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
import { text as common } from "@/common/text";
import { FailureHelp } from "./FailureHelp";
import { kindWords, pageOf } from "./kinds";
import { Moves } from "./Moves";
import { span, steps, total } from "./stages";
import { text } from "./text";

const FINAL = ["active", "failed", "withdrawn"];

/** Panel with the details of one request. */
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
      title={request ? text.panel.titleWithKind(request.id, kindWords(request.kind)) : text.panel.title(id)}
    >
      {found.error ? (
        <ProblemAlert problem={found.error} retry={() => void found.refetch()} />
      ) : request ? (
        <Details request={request} onOpen={onOpen} />
      ) : (
        <Loader role="status" size="sm" aria-label={common.loading} />
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
      <Group gap="sm" role="status" aria-label={text.panel.state}>
        <StateBadge state={request.state} />
        {took !== null && ended && <Text size="sm">{text.panel.duration(span(took))}</Text>}
        {request.matched === false && <Text size="sm">{text.panel.notMatched}</Text>}
      </Group>
      {!ended && <Progress value={request.progress * 100} aria-label={text.panel.progress} animated />}
      {request.state === "failed" && <FailureHelp request={request} onOpen={onOpen} />}
      {!ended && request.problem && <Waiting request={request} />}
      <UnreachableAlert reach={request.reach} unreachable={request.unreachable} />
      <Facts
        facts={[
          [
            text.panel.object,
            page && (
              <Anchor component={Link} to={page.to}>
                {page.label}
              </Anchor>
            ),
          ],
          [text.panel.asked, asks(request)],
          [text.panel.entries, changes(request), "entry"],
          [
            text.panel.merging,
            request.merging && <MergingNote key="merging" merging={request.merging} />,
            "aggregation",
          ],
          [text.panel.switches, <Switches key="switches" request={request} />],
          [
            text.panel.call,
            request.operation && (
              <Anchor component={Link} to={`/requests?tab=calls&call=${tail(request.operation)}`}>
                {text.panel.callItem(tail(request.operation), (request.index ?? 0) + 1)}
              </Anchor>
            ),
          ],
          [
            text.panel.callId,
            request.call && <CopyText key="call" text={request.call} what={text.panel.callIdObject} />,
          ],
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
    return asked.tcam_budget === null ? text.panel.unlimited : text.panel.budget(asked.tcam_budget);
  if (asked.method) return <Code>{asked.method}</Code>;
  if (asked.indexed) return asked.indexed.map((name) => <Code key={name}>{name}</Code>);
  if (asked.switch) return text.panel.port(asked.port, asked.switch);
  return null;
}

function changes({ added, modified, removed, state }: NetworkRequest) {
  if (added + modified + removed === 0) return state === "failed" ? null : text.panel.unchanged;
  return [
    added && text.panel.added(added),
    modified && text.panel.modified(modified),
    removed && text.panel.removed(removed),
  ]
    .filter(Boolean)
    .join(", ");
}

const MANY = 40;

/** Switches whose tables change, with those that have not confirmed. */
function Switches({ request: { switches, waits_for: waiting } }: { request: NetworkRequest }) {
  const names = [...new Set([...waiting, ...switches])];
  if (names.length === 0) return <>{text.panel.noSwitch}</>;
  return (
    <>
      <Text size="sm" w="100%">
        {text.panel.confirmed(names.length - waiting.length, names.length)}
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
          {waiting.includes(name) ? text.panel.waiting(name) : name}
        </Badge>
      ))}
      {names.length > MANY && <Text size="sm">{text.panel.more(names.length - MANY)}</Text>}
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
      {found.map(({ name, label, action, at, took }) => (
        <Timeline.Item key={name} title={<Text size="sm">{label}</Text>} data-stage={name}>
          <Text size="sm" c="dimmed">
            <Time at={at} empty={state === "failed" ? text.stages.notReached : text.stages.notYet} />
            {took !== null && text.stages.took(span(took), action)}
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}
