import { Alert, Badge, Checkbox, Code, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconEyeOff } from "@tabler/icons-react";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { SearchField } from "@/common/forms/SearchField";
import { Empty } from "@/common/layout/Empty";
import { Facts } from "@/common/layout/Facts";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import {
  ABOUT,
  type Explanation,
  FAULTS,
  type HostOutcome,
  hostOutcomes,
  REASONS,
  summary,
} from "./explanation";
import { PathTree } from "./PathTree";

/** What becomes of an event: in short, on the real switches, hop by hop, host by host. */
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
            [
              "Sent by",
              `${event.publisher ?? event.host}, at ${event.host}${event.switch ? ` (port ${event.port} of ${event.switch})` : ""}`,
            ],
            [
              "Advertisement",
              event.advertisement && <Code>{`${event.advertisement}: ${event.filter ?? "dz alone"}`}</Code>,
            ],
            ["dz", <Code key="dz">{event.dz || "the whole space"}</Code>],
            ["Address", <Code key="address">{event.address}</Code>],
            ["Tree", tree],
          ]}
        />
      </Alert>
      {found.real && <Real real={found.real} />}
      {found.loops && (
        <Alert
          color="red"
          icon={<IconAlertTriangle size={18} aria-hidden />}
          title="The event goes round in a loop"
        >
          <Text size="sm">Have the tables audited and repaired (page Health and audit).</Text>
        </Alert>
      )}
      {found.path.length > 0 && (
        <section aria-labelledby="way">
          <Title order={2} id="way" mb="xs">
            Its way
          </Title>
          <PathTree path={found.path} />
        </section>
      )}
      <section aria-labelledby="hosts">
        <Title order={2} id="hosts" mb="xs">
          Hosts
        </Title>
        <Hosts found={found} />
      </section>
    </Stack>
  );
}

/** Whether the real switches do what the plan says, and where not. */
function Real({ real }: { real: Schemas["Real"] }) {
  const means = [...new Set(real.path.map(({ means: by }) => by))].filter(Boolean);
  const by = means.map((one) => (one === "trace" ? "traced" : "read back")).join(" and ");
  const unseen = real.not_seen.length > 0 && (
    <Text size="sm">
      Not seen: {real.not_seen.map(({ switch: name, detail }) => `${name} (${detail})`).join("; ")}
    </Text>
  );
  if (real.differences.length === 0 && real.lost.length === 0 && real.surplus.length === 0) {
    const Icon = real.same ? IconCircleCheck : IconEyeOff;
    return (
      <Stack gap={2} data-real={String(real.same)}>
        <Group gap={6}>
          <Icon size={18} aria-hidden color={real.same ? "var(--mantine-color-green-7)" : undefined} />
          <Text size="sm">
            {real.same
              ? `The real switches do the same${by ? ` (${by})` : ""}.`
              : "The real switches do the same, as far as they could be seen."}
          </Text>
        </Group>
        {unseen}
      </Stack>
    );
  }
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title="The real switches do something else"
      data-real="false"
    >
      {real.differences.map(({ kind, switch: name, in_port, detail }) => (
        <Text size="sm" key={`${name}${in_port}${kind}`}>
          <Code>{kind}</Code> {detail}
        </Text>
      ))}
      {real.lost.map(({ host, at_switch }) => (
        <Text size="sm" key={host}>
          {host} does not get it{at_switch ? `, because of switch ${at_switch}` : ""}.
        </Text>
      ))}
      {real.surplus.length > 0 && <Text size="sm">It goes needlessly to {real.surplus.join(", ")}.</Text>}
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
      tabIndex={ABOUT[reason] ? 0 : undefined}
    >
      {REASONS[reason] ?? reason}
    </Badge>
  );
  const about = ABOUT[reason];
  return about ? (
    <Tooltip label={about} multiline w={300}>
      {badge}
    </Tooltip>
  ) : (
    badge
  );
}

const columns = [
  column.accessor("host", { header: "Host" }),
  column.accessor("received", {
    header: "Gets it",
    cell: ({ row: { original } }) =>
      original.received ? (original.copies > 1 ? `${original.copies} times` : "yes") : "no",
  }),
  column.accessor("reason", { header: "Why", cell: (cell) => <Reason reason={cell.getValue()} /> }),
  column.accessor("detail", {
    header: "In detail",
    meta: { priority: "low" },
    cell: ({ row: { original } }) => (
      <Stack gap={2}>
        <Text size="sm">{original.detail}</Text>
        {original.subscriptions.map(({ subscription, subscriber, filter, reason }) => (
          <Text size="xs" c="dimmed" key={subscription}>
            {subscription} of {subscriber ?? "?"}: {filter ?? "dz alone"} — {REASONS[reason] ?? reason}
          </Text>
        ))}
        {original.subscriptions_count > original.subscriptions.length && (
          <Text size="xs" c="dimmed">
            and {original.subscriptions_count - original.subscriptions.length} subscriptions more
          </Text>
        )}
      </Stack>
    ),
  }),
];

function Hosts({ found }: { found: Explanation }) {
  const [q, setQ] = useAddress("host");
  const [others, setOthers] = useAddress("others");
  const [all, setAll] = useState(others === "yes"); // at once: the address follows a moment later
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
        <SearchField label="Find a host" placeholder="Find a host" q={q} setQ={setQ} />
        {unasked > 0 && (
          <Checkbox
            label={`Also the ${unasked} without a subscription to the topic`}
            checked={all}
            onChange={({ currentTarget: { checked } }) => {
              setAll(checked);
              setOthers(checked ? "yes" : null);
            }}
          />
        )}
      </Group>
      <DataTable
        label="Hosts"
        list={localList(shown)}
        columns={columns}
        rowId={({ host }) => host}
        empty={
          <Empty
            cause={
              q
                ? "No host is called like that."
                : "No host has a subscription to this topic, so that none gets the event."
            }
          />
        }
      />
    </Stack>
  );
}
