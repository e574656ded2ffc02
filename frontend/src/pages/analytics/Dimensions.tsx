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

type Selection = Schemas["Selection"];

/** Which attributes tell events apart, what is proposed, what it was expected to save and what it did. */
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
          label="Topic"
          placeholder="All topics"
          searchable
          clearable
          data={topics.data?.results.map(({ name }) => name) ?? []}
          value={topic || null}
          onChange={setTopic}
        />
      </Group>
      <section aria-label="Ranking of attributes">
        <Title order={2}>Ranking of attributes</Title>
        <Text size="sm" c="dimmed" mb="xs">
          By how much they tell the events of the last day apart (PLEROMA, section 5). Those that the job
          selects are filled.
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
          aria-label={`Download the ranking of ${topic} as CSV`}
        >
          CSV
        </Button>
      </Group>
      <Chart
        option={rankingOption(weights, colors)}
        label={`Weights of the attributes of ${topic}`}
        height={36 * weights.length + 40}
      />
      <Table aria-label={`Ranking of ${topic}`} mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attribute</Table.Th>
            <Table.Th ta="right">Weight</Table.Th>
            <Table.Th>Selected</Table.Th>
            <Table.Th>Indexed now</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {weights.map((one) => (
            <Table.Tr key={one.attribute}>
              <Table.Td>{one.attribute}</Table.Td>
              <Table.Td ta="right">{formatMeasure(one.weight)}</Table.Td>
              <Table.Td>{one.selected ? "yes" : "no"}</Table.Td>
              <Table.Td>{one.indexed ? "yes" : "no"}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt="xs">
        {selection.events.toLocaleString()} events, {selection.subscriptions.toLocaleString()} subscriptions,{" "}
        <Time at={selection.at} />
        {measured === null ? "" : `; false positives in the day before: ${formatMeasure(measured)} %`}
      </Text>
      {selection.differs && (
        <Badge variant="light" color="orange" mt="xs">
          the topic indexes others
        </Badge>
      )}
    </Card>
  );
}

/** The newest selection of each topic; they come newest first. */
export function newestOf<Row extends { topic: string }>(selections: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return selections.filter(({ topic }) => !seen.has(topic) && seen.add(topic));
}
