import { ActionIcon, Badge, Card, Group, Loader, Select, Stack, Text, Title, Tooltip } from "@mantine/core";
import { IconChartLine, IconDownload, IconTable } from "@tabler/icons-react";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { type ColumnDef, createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { api } from "@/api/client";
import { useAddress } from "@/common/address";
import { Chart } from "@/common/charts/Chart";
import { useChartColors } from "@/common/charts/chartColors";
import { Time } from "@/common/formatting/time";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { download } from "@/common/tables/csv";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { EmptyAnswer, type Why } from "./EmptyAnswer";
import { lineOption, spaceOption, stageOption } from "./options";
import { DEFAULT_SPAN, rangeOf } from "./range";
import { formatMeasure, MOST_LINES, rowsOf, type Series } from "./series";
import { type ChartSpec, viewsOf } from "./specs";

interface Answer {
  window: string;
  updated_at: string | null;
  more: number;
  empty: Why | null;
  series: Series[];
}
type Row = Record<string, unknown>;

/** A chart, the table behind it, and both as CSV. */
export function ChartCard({ spec }: { spec: ChartSpec }) {
  const views = viewsOf(spec);
  const [view, setView] = useAddress(`${spec.id}.show`, views[0]?.value ?? "");
  const [by, setBy] = useAddress(`${spec.id}.by`, spec.by[0]?.value ?? "");
  const [table, setTable] = useAddress(`${spec.id}.table`);
  const ask = useAsk(spec, by);
  const answer = useAnswer(spec, ask);
  const saved = useMutation({ mutationFn: () => save(spec, ask.query()) });
  const found = answer.data;
  const rows = useMemo(() => rowsOf(found?.series ?? [], spec.columns), [found, spec]);
  const series = found?.series.length ?? 0;
  return (
    <Card withBorder padding="sm" component="section" aria-label={spec.title} data-chart-card={spec.id}>
      <Group justify="space-between" gap="xs" align="flex-start" wrap="nowrap">
        <div>
          <Title order={2} size="h3">
            {spec.title}
          </Title>
          <Text size="xs" c="dimmed">
            {spec.what}
          </Text>
        </div>
        <Group gap={4} wrap="nowrap">
          <Tooltip label={table ? "Show the chart" : "Show the table behind it"}>
            <ActionIcon
              variant="default"
              aria-label={table ? `Chart of ${spec.title}` : `Table of ${spec.title}`}
              onClick={() => setTable(table ? null : "1")}
            >
              {table ? <IconChartLine size={16} /> : <IconTable size={16} />}
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Download every window as CSV">
            <ActionIcon
              variant="default"
              aria-label={`Download ${spec.title} as CSV`}
              disabled={rows.length === 0}
              loading={saved.isPending}
              onClick={() => saved.mutate()}
            >
              <IconDownload size={16} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <Group gap="xs" my="xs">
        <Select
          size="xs"
          w={210}
          aria-label={`What to show of ${spec.title}`}
          data={views}
          value={view}
          onChange={setView}
          allowDeselect={false}
        />
        {spec.by.length > 0 && (
          <Select
            size="xs"
            w={150}
            aria-label={`Lines of ${spec.title}`}
            data={[...spec.by]}
            value={by}
            onChange={setBy}
            allowDeselect={false}
          />
        )}
        {answer.isFetching && <Loader role="status" size="xs" aria-label="Loading" />}
      </Group>
      <ProblemAlert problem={saved.error} />
      <Content spec={spec} view={view} answer={answer} rows={rows} table={Boolean(table)} />
      {found && series > 0 && (
        <Group justify="space-between" gap="xs" mt="xs">
          <Text size="xs" c="dimmed">
            {view !== "stages" && series > MOST_LINES && !table
              ? `The ${MOST_LINES} largest of ${series + found.more} are drawn; the filters choose others.`
              : `${series + found.more} series, windows of ${found.window}`}
          </Text>
          {found.updated_at && (
            <Text size="xs" c="dimmed">
              computed <Time at={found.updated_at} />
            </Text>
          )}
        </Group>
      )}
    </Card>
  );
}

function Content({
  spec,
  view,
  answer,
  rows,
  table,
}: {
  spec: ChartSpec;
  view: string;
  answer: ReturnType<typeof useAnswer>;
  rows: Row[];
  table: boolean;
}) {
  const series = answer.data?.series;
  const colors = useChartColors();
  const option = useMemo(() => {
    if (view === "stages") return stageOption(series ?? []);
    if (view === "space") return spaceOption(series ?? []);
    const measure = spec.measures.find(({ id }) => id === view) ?? spec.measures[0];
    return lineOption(spec, measure, series ?? [], colors);
  }, [spec, view, series, colors]);
  if (answer.error) return <ProblemAlert problem={answer.error} retry={() => answer.refetch()} />;
  if (!answer.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  if (answer.data.empty) return <EmptyAnswer job={spec.job} why={answer.data.empty} />;
  if (table) {
    return (
      <DataTable
        label={`Table of ${spec.title}`}
        list={localList(rows)}
        columns={columnsOf(spec)}
        rowId={(row) => [...spec.keys.map((key) => row[key]), row.at].join("|")}
        height={280}
        empty={<Text c="dimmed">Nothing was measured.</Text>}
      />
    );
  }
  const nothing = Array.isArray(option.series) && option.series.length === 0;
  if (nothing) {
    return (
      <Stack gap="xs" py="md">
        <Text c="dimmed" size="sm">
          This was not measured in this time; the table has what was.
        </Text>
        <Badge variant="light" color="gray">
          {rows.length} rows
        </Badge>
      </Stack>
    );
  }
  return <Chart option={option} label={spec.title} height={280} />;
}

interface Ask {
  /** What it depends on. */
  key: unknown[];
  fixed: boolean;
  /** The parameters, as of now. */
  query: () => Record<string, string>;
}

/** What the address asks of this chart. */
function useAsk(spec: ChartSpec, by: string): Ask {
  const [address] = useSearchParams();
  const [span] = useAddress("range", DEFAULT_SPAN);
  const asked: Record<string, string> = {};
  for (const name of ["window", ...spec.keys]) {
    const value = address.get(name);
    if (value) asked[name] = value;
  }
  if (spec.by.length > 0) asked.by = by;
  const [since, until] = [address.get("since") ?? "", address.get("until") ?? ""];
  return {
    key: [asked, span, since, until],
    fixed: span === "fixed",
    query: () => ({ ...asked, ...rangeOf(span, since, until, Date.now()) }),
  };
}

function useAnswer(spec: ChartSpec, { key, fixed, query }: Ask) {
  return useQuery({
    queryKey: ["analytics", spec.id, ...key],
    placeholderData: keepPreviousData,
    refetchInterval: fixed ? false : 60_000,
    queryFn: async ({ signal }) => {
      // biome-ignore lint/suspicious/noExplicitAny: the charts' paths differ in their types and not in their form
      const { data } = await api.GET(spec.path as any, { params: { query: query() }, signal } as any);
      return data as Answer;
    },
  });
}

/** All that was measured in this time as a file, as the server writes it: what is drawn may be less. */
async function save(spec: ChartSpec, query: Record<string, string>) {
  const params = { query: { ...query, format: "csv" } };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const { data } = await api.GET(spec.path as any, { params, parseAs: "text" } as any);
  download(`tercast-${spec.job.replaceAll("_", "-")}.csv`, String(data));
}

const column = createColumnHelper<Row>();

function columnsOf(spec: ChartSpec): ColumnDef<Row, unknown>[] {
  const keys = spec.keys.map((key) =>
    column.accessor((row) => row[key], {
      id: key,
      header: key,
      cell: (cell) => String(cell.getValue() ?? "all"),
    }),
  );
  const values = Object.keys(spec.columns).map((name) =>
    column.accessor((row) => row[name], {
      id: name,
      header: name.replaceAll("_", " "),
      meta: { align: "right" },
      cell: (cell) => formatMeasure(cell.getValue() as number | null),
    }),
  );
  const at = column.accessor((row) => row.at, {
    id: "at",
    header: "from",
    cell: (cell) => <Time at={String(cell.getValue())} />,
  });
  return [...keys, at, ...values];
}
