import { Anchor, Code, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { Empty } from "@/common/Empty";
import { read } from "@/common/list";
import { ProblemAlert } from "@/common/ProblemAlert";
import { Time } from "@/common/time";
import { nameOf } from "./describe";
import { PanelHead, type PanelProps } from "./Panel";

const SHOWN = 100;

/** A host: where it is, and what is published and wanted at it. */
export function HostPanel({ name, network, heading, onClose, onSelect }: PanelProps & { name: string }) {
  const host = network.hosts.get(name);
  const id = host?.id;
  const { data, error } = useQuery({
    queryKey: ["host", id],
    enabled: id !== undefined,
    queryFn: async ({ signal }) => {
      const query = { host: name, limit: SHOWN };
      const [own, advertisements, subscriptions] = await Promise.all([
        api.GET("/api/v1/hosts/{id}/", { params: { path: { id: String(id) } }, signal }),
        read<Schemas["Advertisement"]>("/api/v1/advertisements/", { ...query, state: "active" }, signal),
        read<Schemas["Subscription"]>("/api/v1/subscriptions/", { ...query, state: "active" }, signal),
      ]);
      return { own: own.data, advertisements, subscriptions };
    },
  });
  if (!host)
    return (
      <>
        <PanelHead title={name} heading={heading} onClose={onClose} />
        <Empty cause={`There is no host ${name}. It may have been removed.`} />
      </>
    );
  return (
    <Stack gap="sm">
      <PanelHead
        title={host.name}
        aside={
          <>
            Host at port {host.port} of{" "}
            <Anchor
              component="button"
              size="sm"
              onClick={() => onSelect({ kind: "switch", name: host.switch })}
            >
              {nameOf(network, host.switch)}
            </Anchor>
          </>
        }
        heading={heading}
        onClose={onClose}
      />
      <ProblemAlert problem={error} />
      {data?.own && (
        <Text size="sm">
          <Code>{data.own.ip}</Code> <Code>{data.own.mac}</Code>
          <br />
          Last control message: <Time at={data.own.last_seen_at} empty="none yet" />
        </Text>
      )}
      {data && (
        <>
          <Announced
            what="Published here"
            none="Nobody publishes at this host."
            rows={data.advertisements.results.map((row) => ({ ...row, who: row.publisher }))}
            more={data.advertisements.next !== null}
            to={`/participants?host=${encodeURIComponent(name)}`}
          />
          <Announced
            what="Wanted here"
            none="Nobody subscribes at this host."
            rows={data.subscriptions.results.map((row) => ({ ...row, who: row.subscriber }))}
            more={data.subscriptions.next !== null}
            to={`/participants?host=${encodeURIComponent(name)}`}
          />
        </>
      )}
    </Stack>
  );
}

interface Row {
  id: number;
  who: string;
  topic: string;
  filter: string | null;
}

function Announced({
  what,
  none,
  rows,
  more,
  to,
}: {
  what: string;
  none: string;
  rows: Row[];
  more: boolean;
  to: string;
}) {
  return (
    <section>
      <Title order={3}>{what}</Title>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      ) : (
        <Table aria-label={what} fz="sm">
          <Table.Tbody>
            {rows.map((row) => (
              <Table.Tr key={row.id}>
                <Table.Td>{row.who}</Table.Td>
                <Table.Td>
                  {row.topic}: <Code>{row.filter ?? "by dz"}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {more && (
        <Anchor component={Link} to={to} size="sm">
          All of them
        </Anchor>
      )}
    </section>
  );
}
