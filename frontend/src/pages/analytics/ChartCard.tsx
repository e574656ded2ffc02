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
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { download } from "@/common/tables/csv";
import { DataTable } from "@/common/tables/DataTable";
import { localList } from "@/common/tables/localList";
import { text as common } from "@/common/text";
import { EmptyAnswer, type Why } from "./EmptyAnswer";
import { lineOption, spaceOption, stageOption } from "./options";
import { DEFAULT_SPAN, rangeOf } from "./range";
import { formatMeasure, MOST_LINES, rowsOf, type Series } from "./series";
import { type ChartSpec, viewsOf } from "./specs";
import { text } from "./text";

interface Answer {
  window: string;
  updated_at: string | null;
  more: number;
  empty: Why | null;
  series: Series[];
}
type Row = Record<string, unknown>;

/** Card with a chart, the table behind it, and a download of both as CSV. */
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
          <Group gap={4}>
            <Title order={2} size="h3">
              {spec.title}
            </Title>
            {spec.term && <HelpIcon term={spec.term} />}
          </Group>
          <Text size="xs" c="dimmed">
            {spec.description}
          </Text>
        </div>
        <Group gap={4} wrap="nowrap">
          <Tooltip label={table ? text.chart.showChart : text.chart.showTable}>
            <ActionIcon
              variant="default"
              aria-label={table ? text.chart.chartOf(spec.title) : text.chart.tableOf(spec.title)}
              onClick={() => setTable(table ? null : "1")}
            >
              {table ? <IconChartLine size={16} /> : <IconTable size={16} />}
            </ActionIcon>
          </Tooltip>
          <Tooltip label={text.chart.download}>
            <ActionIcon
              variant="default"
              aria-label={text.chart.downloadOf(spec.title)}
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
          w={230}
          aria-label={text.chart.measureOf(spec.title)}
          data={views}
          value={view}
          onChange={setView}
          allowDeselect={false}
        />
        {spec.by.length > 0 && (
          <Select
            size="xs"
            w={150}
            aria-label={text.chart.groupingOf(spec.title)}
            data={[...spec.by]}
            value={by}
            onChange={setBy}
            allowDeselect={false}
          />
        )}
        {answer.isFetching && <Loader role="status" size="xs" aria-label={common.loading} />}
      </Group>
      <ProblemAlert problem={saved.error} />
      <Content spec={spec} view={view} answer={answer} rows={rows} table={Boolean(table)} />
      {found && series > 0 && (
        <Group justify="space-between" gap="xs" mt="xs">
          <Text size="xs" c="dimmed">
            {view !== "stages" && series > MOST_LINES && !table
              ? text.chart.largest(MOST_LINES, series + found.more)
              : text.chart.series(series + found.more, found.window)}
          </Text>
          {found.updated_at && (
            <Text size="xs" c="dimmed">
              {text.chart.computed} <Time at={found.updated_at} />
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
  if (!answer.data) return <Loader role="status" size="sm" aria-label={common.loading} />;
  if (answer.data.empty) return <EmptyAnswer job={spec.job} why={answer.data.empty} />;
  if (table) {
    return (
      <DataTable
        label={text.chart.tableOf(spec.title)}
        list={localList(rows)}
        columns={columnsOf(spec)}
        rowId={(row) => [...spec.keys.map((key) => row[key]), row.at].join("|")}
        height={280}
        empty={<Text c="dimmed">{text.chart.noRows}</Text>}
      />
    );
  }
  const nothing = Array.isArray(option.series) && option.series.length === 0;
  if (nothing) {
    return (
      <Stack gap="xs" py="md">
        <Text c="dimmed" size="sm">
          {text.chart.otherMeasures}
        </Text>
        <Badge variant="light" color="gray">
          {text.chart.rows(rows.length)}
        </Badge>
      </Stack>
    );
  }
  return <Chart option={option} label={spec.title} height={280} />;
}

interface Ask {
  /** Key of the query: it changes if the parameters change, apart from the time. */
  key: unknown[];
  fixed: boolean;
  /** Return the parameters for the present time. */
  query: () => Record<string, string>;
}

/** Return the query of a chart from the address. */
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
      // biome-ignore lint/suspicious/noExplicitAny: the paths of the charts differ in their types only
      const { data } = await api.GET(spec.path as any, { params: { query: query() }, signal } as any);
      return data as Answer;
    },
  });
}

/** Download all measurements of the time range as CSV; the chart may show fewer. */
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
      header: text.columns[key] ?? key,
      cell: (cell) => String(cell.getValue() ?? text.chart.all),
    }),
  );
  const values = Object.keys(spec.columns).map((name) =>
    column.accessor((row) => row[name], {
      id: name,
      header: text.columns[name] ?? name,
      meta: { align: "right" },
      cell: (cell) => formatMeasure(cell.getValue() as number | null),
    }),
  );
  const at = column.accessor((row) => row.at, {
    id: "at",
    header: text.columns.at,
    cell: (cell) => <Time at={String(cell.getValue())} />,
  });
  return [...keys, at, ...values];
}
