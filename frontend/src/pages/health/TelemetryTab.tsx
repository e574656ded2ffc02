import { Alert, Badge, Code, Loader, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";

type Writer = Schemas["TelemetryWriter"];
const column = createColumnHelper<Writer>();

const columns = [
  column.accessor("name", { header: "Writer", cell: (cell) => <Code>{cell.getValue()}</Code> }),
  column.accessor("host", { header: "Host", meta: { priority: "low" } }),
  column.display({ id: "state", header: "State", cell: ({ row }) => <State writer={row.original} /> }),
  column.accessor("written", {
    header: "Written",
    meta: { align: "right" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("lost", {
    header: "Lost",
    meta: { align: "right" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("pending", {
    header: "Waiting",
    meta: { align: "right", priority: "low" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("heard_at", {
    header: "Heard",
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

/** What is stored of telemetry, who writes it, and what was lost. */
export function TelemetryTab() {
  const telemetry = useQuery({
    queryKey: ["telemetry"],
    refetchInterval: 10_000,
    queryFn: async () => (await api.GET("/api/v1/telemetry/")).data,
  });
  if (telemetry.error) return <ProblemAlert problem={telemetry.error} retry={() => telemetry.refetch()} />;
  if (!telemetry.data) return <Loader role="status" aria-label="Loading" />;
  const {
    root,
    retention_days: days,
    problem,
    datasets,
    lost,
    silent_writers: silent,
    writers,
  } = telemetry.data;
  return (
    <Stack>
      {problem && (
        <Alert color="red" title="Nothing can be written">
          {problem}. Make room on the disk, or lower the days that are kept.
        </Alert>
      )}
      <Text size="sm">
        Kept for {days} days below <Code>{root}</Code>. {lost.toLocaleString()} rows were lost
        {silent > 0 ? `, ${silent} writers fell silent without an end` : ""}.{" "}
        <DocsLink to="monitoring.md, Telemetry" />
      </Text>
      <Table aria-label="Datasets">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Dataset</Table.Th>
            <Table.Th ta="right">Files</Table.Th>
            <Table.Th ta="right">Days</Table.Th>
            <Table.Th visibleFrom="sm">Oldest</Table.Th>
            <Table.Th>Newest</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {datasets.map((one) => (
            <Table.Tr key={one.dataset}>
              <Table.Td>{one.dataset.replaceAll("_", " ")}</Table.Td>
              <Table.Td ta="right">{one.files.toLocaleString()}</Table.Td>
              <Table.Td ta="right">{one.days}</Table.Td>
              <Table.Td visibleFrom="sm">{one.oldest ?? "–"}</Table.Td>
              <Table.Td>{one.newest ?? "–"}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Title order={2}>Writers</Title>
      <DataTable
        label="Writers"
        list={localList(writers)}
        columns={columns}
        rowId={(row) => row.name}
        empty={
          <Empty cause="Nobody writes telemetry. Hosts do with --telemetry or --telemetry-api of tercast publish and listen.">
            <DocsLink to="client.md, Telemetry" />
          </Empty>
        }
      />
    </Stack>
  );
}

function State({ writer }: { writer: Writer }) {
  const [word, color] = writer.error
    ? [writer.error, "red"]
    : writer.silent
      ? ["silent", "orange"]
      : writer.closed
        ? ["ended", "gray"]
        : ["writes", "green"];
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
}
