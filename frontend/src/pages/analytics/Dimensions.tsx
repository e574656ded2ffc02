import { Badge, Button, Card, Group, Select, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { Chart } from "@/common/charts/Chart";
import { useChartColors } from "@/common/charts/chartColors";
import { Time } from "@/common/formatting/time";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { download, toCsv } from "@/common/tables/csv";
import { readPage } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { EmptyAnswer } from "./EmptyAnswer";
import { rankingOption } from "./options";
import { Proposals } from "./Proposals";
import { formatMeasure } from "./series";
import { text } from "./text";

type Selection = Schemas["Selection"];

/** Tab with the ranking of attributes and the proposals. */
export function Dimensions() {
  const [topic, setTopic] = useAddress("topic");
  useLiveRefresh(["analytics"], ["analytics"]);
  const topics = useQuery({
    queryKey: ["/api/v1/topics/", "names"],
    staleTime: 60_000,
    queryFn: ({ signal }) => readPage<{ name: string }>("/api/v1/topics/", { limit: 1000 }, signal),
  });
  const found = useQuery({
    queryKey: ["analytics", "dimensions", topic],
    queryFn: async () => {
      const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
      const query = { since, ...(topic ? { topic } : {}) };
      return (await api.GET("/api/v1/analytics/dimension-selection/", { params: { query } })).data;
    },
  });
  const newest = newestOf(found.data?.selections ?? []);
  return (
    <Stack>
      <Group>
        <Select
          label={text.ranking.topic}
          placeholder={text.ranking.allTopics}
          searchable
          clearable
          data={topics.data?.results.map(({ name }) => name) ?? []}
          value={topic || null}
          onChange={setTopic}
        />
      </Group>
      <section aria-label={text.ranking.title}>
        <Title order={2}>{text.ranking.title}</Title>
        <Text size="sm" c="dimmed" mb="xs">
          {text.ranking.description}
        </Text>
        <ProblemAlert problem={found.error} retry={() => found.refetch()} />
        {found.data?.empty && <EmptyAnswer job="dimension_selection" why={found.data.empty} />}
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          {newest.map((selection) => (
            <Ranking key={selection.topic} selection={selection} />
          ))}
        </SimpleGrid>
      </section>
      <Proposals topic={topic} topics={topics.data?.results.map(({ name }) => name) ?? []} />
    </Stack>
  );
}

function Ranking({ selection }: { selection: Selection }) {
  const colors = useChartColors();
  const { topic, ranking: weights, measured_fpr: measured } = selection;
  const save = () =>
    download(
      `tercast-dimensions-${topic}.csv`,
      toCsv(
        ["topic", "at (UTC)", "attribute", "weight", "selected", "indexed"],
        weights.map((one) => [topic, selection.at, one.attribute, one.weight, one.selected, one.indexed]),
      ),
    );
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" wrap="nowrap">
        <Title order={3}>{topic}</Title>
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={save}
          aria-label={text.ranking.downloadOf(topic)}
        >
          {text.ranking.csv}
        </Button>
      </Group>
      <Chart
        option={rankingOption(weights, colors)}
        label={text.ranking.weightsOf(topic)}
        height={36 * weights.length + 40}
      />
      <Table aria-label={text.ranking.tableOf(topic)} mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.ranking.attribute}</Table.Th>
            <Table.Th ta="right">{text.ranking.weight}</Table.Th>
            <Table.Th>{text.ranking.selected}</Table.Th>
            <Table.Th>{text.ranking.indexed}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {weights.map((one) => (
            <Table.Tr key={one.attribute}>
              <Table.Td>{one.attribute}</Table.Td>
              <Table.Td ta="right">{formatMeasure(one.weight)}</Table.Td>
              <Table.Td>{one.selected ? text.ranking.yes : text.ranking.no}</Table.Td>
              <Table.Td>{one.indexed ? text.ranking.yes : text.ranking.no}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt="xs">
        {text.ranking.basis(selection.events, selection.subscriptions)} <Time at={selection.at} />
      </Text>
      {measured !== null && (
        <Text size="xs" c="dimmed">
          {text.ranking.measured(formatMeasure(measured))}
        </Text>
      )}
      {selection.differs && (
        <Badge variant="light" color="orange" mt="xs">
          {text.ranking.differs}
        </Badge>
      )}
    </Card>
  );
}

/** Return the newest selection of each topic from a list with the newest first. */
export function newestOf<Row extends { topic: string }>(selections: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return selections.filter(({ topic }) => !seen.has(topic) && seen.add(topic));
}
