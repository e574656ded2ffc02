import { Card, Code, Group, Loader, Select, Stack, Switch, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { text as page } from "./text";

const text = page.signalling;

type Signalling = Schemas["Signalling"];
type Refusal = Schemas["Refusal"];
type Change = Schemas["PatchedSignallingChangeRequest"];
const SIGNALLING = "/api/v1/signalling/";
const column = createColumnHelper<Refusal>();

const columns = [
  column.accessor("refused_at", {
    header: text.columns.time,
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("reason", { header: text.columns.reason, cell: (cell) => <Code>{cell.getValue()}</Code> }),
  column.accessor("host", { header: text.columns.host, cell: (cell) => cell.getValue() ?? text.unknownHost }),
  column.display({
    id: "from",
    header: text.columns.from,
    meta: { priority: "low" },
    cell: ({ row: { original: one } }) => text.sender(one.ip, one.mac, one.port),
  }),
  column.accessor("detail", { header: text.columns.detail, meta: { priority: "low" } }),
];

/** Tab with the permissions of hosts for in-band signalling, and the refused messages. */
export function SignallingTab() {
  const [reason, setReason] = useAddress("reason");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const signalling = useQuery({
    queryKey: [SIGNALLING],
    refetchInterval: 10_000,
    queryFn: async () => (await api.GET("/api/v1/signalling/")).data,
  });
  const refusals = useList<Refusal>(`${SIGNALLING}refusals/`, { reason }, { ordering, limit: 50 });
  if (signalling.error) return <ProblemAlert problem={signalling.error} retry={() => signalling.refetch()} />;
  if (!signalling.data) return <Loader role="status" aria-label={common.loading} />;
  return (
    <Stack>
      <Policy policy={signalling.data} />
      <Counts counted={signalling.data} />
      <Group justify="space-between">
        <Title order={2}>{text.refusals}</Title>
        <Select
          aria-label={text.columns.reason}
          placeholder={text.allReasons}
          clearable
          data={signalling.data.refused.map((one) => one.reason)}
          value={reason || null}
          onChange={setReason}
        />
      </Group>
      <DataTable
        label={text.refusalsLabel}
        list={refusals}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause={text.noRefusal} />}
      />
    </Stack>
  );
}

function Policy({ policy }: { policy: Signalling }) {
  const may = useMay("signalling", "PATCH");
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: async (body: Change) => (await api.PATCH("/api/v1/signalling/", { body })).data,
    onSuccess: () => notifications.show({ message: text.saved, color: "green" }),
    onSettled: () => queries.invalidateQueries({ queryKey: [SIGNALLING] }),
  });
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>{text.policy}</Title>
          <DocsLink to="signalling.md, Identity of the host" />
        </Group>
        {may ? (
          <>
            <Switch
              label={text.register}
              description={text.registerHelp}
              checked={policy.self_registration}
              disabled={change.isPending}
              onChange={(event) => change.mutate({ self_registration: event.currentTarget.checked })}
            />
            <Group gap={4} wrap="nowrap" align="flex-start">
              <Switch
                label={text.sealed}
                description={text.sealedHelp}
                checked={policy.sealed_only}
                disabled={change.isPending}
                onChange={(event) => change.mutate({ sealed_only: event.currentTarget.checked })}
              />
              <HelpIcon term="seal" />
            </Group>
          </>
        ) : (
          <Text size="sm" component="div">
            {policy.self_registration ? text.mayRegister : text.mayNotRegister}{" "}
            {policy.sealed_only ? text.sealedOnly : text.sealedOptional} <HelpIcon term="seal" />
          </Text>
        )}
        <ProblemAlert problem={change.error} />
      </Stack>
    </Card>
  );
}

function Counts({ counted }: { counted: Signalling }) {
  const dropped = counted.dropped.filter(({ count }) => count > 0);
  return (
    <>
      <Text size="sm">{text.accepted(counted.taken)}</Text>
      {(dropped.length > 0 || counted.refused.length > 0) && (
        <Table aria-label={text.countsLabel}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.columns.reason}</Table.Th>
              <Table.Th ta="right">{text.columns.count}</Table.Th>
              <Table.Th>{text.columns.by}</Table.Th>
              <Table.Th>{text.columns.last}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dropped.map((one) => (
              <Table.Tr key={`dropped-${one.reason}`}>
                <Table.Td>{one.reason.replaceAll("_", " ")}</Table.Td>
                <Table.Td ta="right">{one.count.toLocaleString()}</Table.Td>
                <Table.Td>{text.byController}</Table.Td>
                <Table.Td>–</Table.Td>
              </Table.Tr>
            ))}
            {counted.refused.map((one) => (
              <Table.Tr key={one.reason}>
                <Table.Td>{one.reason.replaceAll("_", " ")}</Table.Td>
                <Table.Td ta="right">{(one.count ?? 0).toLocaleString()}</Table.Td>
                <Table.Td>{text.byPlatform}</Table.Td>
                <Table.Td>
                  <Time at={one.last_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </>
  );
}
