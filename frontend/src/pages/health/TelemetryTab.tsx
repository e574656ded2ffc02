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
import { text as common } from "@/common/text";
import { text as page } from "./text";

const text = page.telemetry;

type Writer = Schemas["TelemetryWriter"];
const column = createColumnHelper<Writer>();

const columns = [
  column.accessor("name", { header: text.columns.writer, cell: (cell) => <Code>{cell.getValue()}</Code> }),
  column.accessor("host", { header: text.columns.host, meta: { priority: "low" } }),
  column.display({
    id: "state",
    header: text.columns.state,
    cell: ({ row }) => <State writer={row.original} />,
  }),
  column.accessor("written", {
    header: text.columns.written,
    meta: { align: "right" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("lost", {
    header: text.columns.lost,
    meta: { align: "right" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("pending", {
    header: text.columns.waiting,
    meta: { align: "right", priority: "low" },
    cell: (cell) => (cell.getValue() ?? 0).toLocaleString(),
  }),
  column.accessor("heard_at", {
    header: text.columns.report,
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

/** Tab with the stored telemetry, its writers, and lost rows. */
export function TelemetryTab() {
  const telemetry = useQuery({
    queryKey: ["telemetry"],
    refetchInterval: 10_000,
    queryFn: async () => (await api.GET("/api/v1/telemetry/")).data,
  });
  if (telemetry.error) return <ProblemAlert problem={telemetry.error} retry={() => telemetry.refetch()} />;
  if (!telemetry.data) return <Loader role="status" aria-label={common.loading} />;
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
        <Alert color="red" title={text.problem}>
          {text.problemHelp(problem)}
        </Alert>
      )}
      <Text size="sm">
        {text.retention(days)} <Code>{root}</Code>. {text.lost(lost)} {silent > 0 && text.silent(silent)}{" "}
        <DocsLink to="monitoring.md, Telemetry" />
      </Text>
      <Table aria-label={text.datasets}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.columns.dataset}</Table.Th>
            <Table.Th ta="right">{text.columns.files}</Table.Th>
            <Table.Th ta="right">{text.columns.days}</Table.Th>
            <Table.Th visibleFrom="sm">{text.columns.oldest}</Table.Th>
            <Table.Th>{text.columns.newest}</Table.Th>
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
      <Title order={2}>{text.writers}</Title>
      <DataTable
        label={text.writers}
        list={localList(writers)}
        columns={columns}
        rowId={(row) => row.name}
        empty={
          <Empty cause={text.noWriter}>
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
      ? [text.states.silent, "orange"]
      : writer.closed
        ? [text.states.ended, "gray"]
        : [text.states.active, "green"];
  return (
    <Badge variant="light" color={color}>
      {word}
    </Badge>
  );
}
