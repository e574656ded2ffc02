import { Alert, Badge, Checkbox, Code, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconEyeOff } from "@tabler/icons-react";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { SearchField } from "@/common/forms/SearchField";
import { Empty } from "@/common/layout/Empty";
import { Facts } from "@/common/layout/Facts";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { type Explanation, FAULTS, type HostOutcome, hostOutcomes, summary } from "./explanation";
import { PathTree } from "./PathTree";
import { text } from "./text";

/** Explanation of an event: summary, comparison with the real switches, path and hosts. */
export function ExplanationView({ found }: { found: Explanation }) {
  const { event, tree } = found;
  return (
    <Stack gap="lg">
      <Alert
        variant="light"
        color={event.problem ? "orange" : undefined}
        title={summary(found)}
        role="status"
        data-summary
      >
        <Facts
          facts={[
            [text.event.sender, senderOf(event)],
            [
              text.event.advertisement,
              event.advertisement && <Code>{text.event.filter(event.advertisement, event.filter)}</Code>,
            ],
            [text.event.cuts, event.cuts.length > 0 && <Cuts cuts={event.cuts} />],
            [
              text.event.dz,
              <WithHelp key="dz" term="cell">
                <Code>{event.dz || text.event.wholeSpace}</Code>
              </WithHelp>,
            ],
            [text.event.address, <Code key="address">{event.address}</Code>],
            [text.event.tree, tree && <WithHelp term="tree">{tree}</WithHelp>],
          ]}
        />
      </Alert>
      {found.real && <Real real={found.real} />}
      {found.loops && (
        <Alert color="red" icon={<IconAlertTriangle size={18} aria-hidden />} title={text.event.loop}>
          <Text size="sm">{text.event.loopRemedy}</Text>
        </Alert>
      )}
      {found.path.length > 0 && (
        <section aria-labelledby="way">
          <Title order={2} id="way" mb="xs">
            {text.path.title}
          </Title>
          <PathTree path={found.path} />
        </section>
      )}
      <section aria-labelledby="hosts">
        <Title order={2} id="hosts" mb="xs">
          {text.hosts.title}
        </Title>
        <Hosts found={found} />
      </section>
    </Stack>
  );
}

/** Decisions on the path of the event, the first one first. */
function Cuts({ cuts }: { cuts: Explanation["event"]["cuts"] }) {
  return (
    <Group gap={4}>
      {cuts.map(({ attribute, value, less }) => (
        <Code key={`${attribute} ${JSON.stringify(value)}`}>{text.event.cut(attribute, value, less)}</Code>
      ))}
    </Group>
  );
}

function senderOf({ publisher, host, switch: name, port }: Explanation["event"]): string {
  const sender = publisher ?? host;
  return name && port !== null ? text.event.atPort(sender, host, port, name) : text.event.at(sender, host);
}

/** Return the sentence for switches that match the plan, with the methods of the check. */
function matchOf({ same, path }: Schemas["Real"]): string {
  if (!same) return text.real.partly;
  const isTraced = path.some(({ means }) => means === "trace");
  const isReadBack = path.some(({ means }) => means && means !== "trace");
  if (isTraced) return isReadBack ? text.real.tracedAndReadBack : text.real.traced;
  return isReadBack ? text.real.readBack : text.real.matches;
}

/** Comparison of the real switches with the plan. */
function Real({ real }: { real: Schemas["Real"] }) {
  const unseen = real.not_seen.length > 0 && (
    <Text size="sm">
      {text.real.unchecked(
        real.not_seen.map(({ switch: name, detail }) => text.real.uncheckedSwitch(name, detail)).join("; "),
      )}
    </Text>
  );
  if (real.differences.length === 0 && real.lost.length === 0 && real.surplus.length === 0) {
    const Icon = real.same ? IconCircleCheck : IconEyeOff;
    return (
      <Stack gap={2} data-real={String(real.same)}>
        <Group gap={6}>
          <Icon size={18} aria-hidden color={real.same ? "var(--mantine-color-green-7)" : undefined} />
          <Text size="sm">{matchOf(real)}</Text>
        </Group>
        {unseen}
      </Stack>
    );
  }
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={text.real.differs}
      data-real="false"
    >
      {real.differences.map(({ kind, switch: name, in_port, detail }) => (
        <Text size="sm" key={`${name}${in_port}${kind}`}>
          <Code>{kind}</Code> {detail}
        </Text>
      ))}
      {real.lost.map(({ host, at_switch }) => (
        <Text size="sm" key={host}>
          {at_switch ? text.real.lostAt(host, at_switch) : text.real.lost(host)}
        </Text>
      ))}
      {real.surplus.length > 0 && <Text size="sm">{text.real.surplus(real.surplus.join(", "))}</Text>}
      {unseen}
    </Alert>
  );
}

const column = createColumnHelper<HostOutcome>();
const COLOR: Record<string, string> = {
  match: "green",
  truncation: "orange",
  aggregation: "orange",
  stale_entry: "orange",
};

function Reason({ reason }: { reason: string }) {
  const badge = (
    <Badge
      variant="light"
      tt="none"
      color={COLOR[reason] ?? (FAULTS.includes(reason) ? "red" : "gray")}
      miw="max-content"
      data-reason={reason}
      tabIndex={text.explanations[reason] ? 0 : undefined}
    >
      {text.reasons[reason] ?? reason}
    </Badge>
  );
  const explanation = text.explanations[reason];
  return explanation ? (
    <Tooltip label={explanation} multiline w={300}>
      {badge}
    </Tooltip>
  ) : (
    badge
  );
}

const columns = [
  column.accessor("host", { header: text.hosts.host }),
  column.accessor("received", {
    header: text.hosts.received,
    cell: ({ row: { original } }) =>
      !original.received
        ? text.hosts.no
        : original.copies > 1
          ? text.hosts.copies(original.copies)
          : text.hosts.yes,
  }),
  column.accessor("reason", {
    header: () => <WithHelp term="falsePositive">{text.hosts.reason}</WithHelp>,
    cell: (cell) => <Reason reason={cell.getValue()} />,
  }),
  column.accessor("detail", {
    header: text.hosts.details,
    meta: { priority: "low" },
    cell: ({ row: { original } }) => (
      <Stack gap={2}>
        <Text size="sm">{original.detail}</Text>
        {original.subscriptions.map(({ subscription, subscriber, filter, reason }) => (
          <Text size="xs" c="dimmed" key={subscription}>
            {text.hosts.subscription(subscription, subscriber, filter, text.reasons[reason] ?? reason)}
          </Text>
        ))}
        {original.subscriptions_count > original.subscriptions.length && (
          <Text size="xs" c="dimmed">
            {text.hosts.moreSubscriptions(original.subscriptions_count - original.subscriptions.length)}
          </Text>
        )}
      </Stack>
    ),
  }),
];

function Hosts({ found }: { found: Explanation }) {
  const [q, setQ] = useAddress("host");
  const [others, setOthers] = useAddress("others");
  const [all, setAll] = useState(others === "yes"); // changes immediately; the address follows after a moment
  useEffect(() => setAll(others === "yes"), [others]);
  const rows = useMemo(() => hostOutcomes(found), [found]);
  const unasked = rows.filter(({ reason }) => reason === "no_subscription").length;
  const shown = rows.filter(
    ({ host, reason }) =>
      host.toLowerCase().includes(q.toLowerCase()) && (all || q !== "" || reason !== "no_subscription"),
  );
  return (
    <Stack gap="xs">
      <Group gap="md">
        <SearchField label={text.hosts.search} placeholder={text.hosts.search} q={q} setQ={setQ} />
        {unasked > 0 && (
          <Checkbox
            label={text.hosts.showOthers(unasked)}
            checked={all}
            onChange={({ currentTarget: { checked } }) => {
              setAll(checked);
              setOthers(checked ? "yes" : null);
            }}
          />
        )}
      </Group>
      <DataTable
        label={text.hosts.title}
        list={localList(shown)}
        columns={columns}
        rowId={({ host }) => host}
        empty={<Empty cause={q ? text.hosts.noMatch : text.hosts.empty} />}
      />
    </Stack>
  );
}
