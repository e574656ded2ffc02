import { Card, Code, Group, Loader, Select, Stack, Switch, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";

type Signalling = Schemas["Signalling"];
type Refusal = Schemas["Refusal"];
type Change = Schemas["PatchedSignallingChangeRequest"];
const SIGNALLING = "/api/v1/signalling/";
const column = createColumnHelper<Refusal>();

const columns = [
  column.accessor("refused_at", {
    header: "When",
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("reason", { header: "Reason", cell: (cell) => <Code>{cell.getValue()}</Code> }),
  column.accessor("host", { header: "Host", cell: (cell) => cell.getValue() ?? "none that is known" }),
  column.display({
    id: "from",
    header: "From",
    meta: { priority: "low" },
    cell: ({ row: { original: one } }) => `${one.ip} (${one.mac}), port ${one.port}`,
  }),
  column.accessor("detail", { header: "Why", meta: { priority: "low" } }),
];

/** What hosts may do in band, and what came of it. */
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
  if (!signalling.data) return <Loader role="status" aria-label="Loading" />;
  return (
    <Stack>
      <Policy policy={signalling.data} />
      <Counts counted={signalling.data} />
      <Group justify="space-between">
        <Title order={2}>The newest that were refused</Title>
        <Select
          aria-label="Reason"
          placeholder="All reasons"
          clearable
          data={signalling.data.refused.map((one) => one.reason)}
          value={reason || null}
          onChange={setReason}
        />
      </Group>
      <DataTable
        label="Refusals"
        list={refusals}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause="No control message was refused." />}
      />
    </Stack>
  );
}

function Policy({ policy }: { policy: Signalling }) {
  const may = useMay("signalling", "PATCH");
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: async (body: Change) => (await api.PATCH("/api/v1/signalling/", { body })).data,
    onSuccess: () => notifications.show({ message: "Saved.", color: "green" }),
    onSettled: () => queries.invalidateQueries({ queryKey: [SIGNALLING] }),
  });
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2}>What hosts may do</Title>
          <DocsLink to="signalling.md, Identity of the host" />
        </Group>
        {may ? (
          <>
            <Switch
              label="Hosts that are not known may register themselves"
              description="from a port that is no link between switches"
              checked={policy.self_registration}
              disabled={change.isPending}
              onChange={(event) => change.mutate({ self_registration: event.currentTarget.checked })}
            />
            <Switch
              label="Only sealed messages are taken"
              description="those of hosts without a key are refused"
              checked={policy.sealed_only}
              disabled={change.isPending}
              onChange={(event) => change.mutate({ sealed_only: event.currentTarget.checked })}
            />
          </>
        ) : (
          <Text size="sm">
            Hosts that are not known {policy.self_registration ? "may" : "may not"} register themselves.{" "}
            {policy.sealed_only ? "Only sealed messages are taken." : "Hosts without a key need no seal."}
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
      <Text size="sm">
        {counted.taken.toLocaleString()} control messages were handed on since the controller began.
      </Text>
      {(dropped.length > 0 || counted.refused.length > 0) && (
        <Table aria-label="Dropped and refused, by reason">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Reason</Table.Th>
              <Table.Th ta="right">Number</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th>Last</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dropped.map((one) => (
              <Table.Tr key={`dropped ${one.reason}`}>
                <Table.Td>{one.reason.replaceAll("_", " ")}</Table.Td>
                <Table.Td ta="right">{one.count.toLocaleString()}</Table.Td>
                <Table.Td>controller (dropped)</Table.Td>
                <Table.Td>–</Table.Td>
              </Table.Tr>
            ))}
            {counted.refused.map((one) => (
              <Table.Tr key={one.reason}>
                <Table.Td>{one.reason.replaceAll("_", " ")}</Table.Td>
                <Table.Td ta="right">{(one.count ?? 0).toLocaleString()}</Table.Td>
                <Table.Td>control plane (refused)</Table.Td>
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
