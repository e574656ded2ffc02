import { Alert, Anchor, Badge, Loader, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { Chart } from "@/common/charts/Chart";
import { CopyText } from "@/common/layout/CopyText";
import { Facts } from "@/common/layout/Facts";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { type Experiment, panelHeight, panelOption, verdictColor } from "./experiment";
import { text } from "./text";

/** Figure of a paper: diagrams, claims, parameters, and how to repeat it. */
export function ExperimentDetails({ name }: { name: string }) {
  const address = `/api/v1/experiments/${encodeURIComponent(name)}/`;
  const found = useQuery({
    queryKey: ["/api/v1/experiments/", name],
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/experiments/{id}/", { params: { path: { id: name } }, signal })).data,
  });
  if (found.error) return <ProblemAlert problem={found.error} />;
  if (!found.data) return <Loader role="status" size="sm" aria-label={common.loading} />;
  const one = found.data;
  return (
    <Stack>
      <div>
        <Title order={2} size="h3">
          {one.title}
        </Title>
        <Text size="sm" c="dimmed">
          {text.figure(one.paper_title, one.figure)}
        </Text>
      </div>
      {one.panels
        .filter((panel) => panel.lines.length > 0)
        .map((panel) => (
          <div key={`${panel.y} ${panel.title} ${panel.group}`}>
            <Text size="sm">{text.chart(panel.title, panel.label)}</Text>
            <Chart
              option={panelOption(panel)}
              label={text.chart(panel.title, panel.label)}
              height={panelHeight(panel)}
            />
          </div>
        ))}
      <Claims experiment={one} />
      <Parameters experiment={one} />
      <Run experiment={one} />
      <Title order={3} size="h4">
        {text.command}
      </Title>
      <div>
        <CopyText text={one.command} what={text.commandName} />
      </div>
      <Anchor href={address} size="sm">
        {text.json}
      </Anchor>
    </Stack>
  );
}

function Claims({ experiment }: { experiment: Experiment }) {
  return (
    <>
      <Title order={3} size="h4">
        {text.claims}
      </Title>
      <Table.ScrollContainer
        minWidth={640}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": text.claims } }}
      >
        <Table aria-label={text.claims} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.claim.text}</Table.Th>
              <Table.Th>{text.claim.rule}</Table.Th>
              <Table.Th>{text.claim.verdict}</Table.Th>
              <Table.Th>{text.claim.value}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {experiment.claims.map((claim) => (
              <Table.Tr key={claim.id} style={{ verticalAlign: "top" }}>
                <Table.Td>
                  {claim.text}
                  <Text size="xs" c="dimmed">
                    {text.claim.source(claim.id, claim.source)}
                  </Text>
                </Table.Td>
                <Table.Td>{claim.rule}</Table.Td>
                <Table.Td>
                  <Badge color={verdictColor(claim.verdict)} variant="light">
                    {text.verdicts[claim.verdict]}
                  </Badge>
                </Table.Td>
                <Table.Td>
                  {claim.value}
                  {claim.reason && <Text size="xs">{text.claim.reason(claim.reason)}</Text>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function Parameters({ experiment }: { experiment: Experiment }) {
  return (
    <>
      <Title order={3} size="h4">
        {text.parameters}
      </Title>
      <Table.ScrollContainer
        minWidth={520}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": text.parameters } }}
      >
        <Table aria-label={text.parameters} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.parameter.name}</Table.Th>
              <Table.Th>{text.parameter.value}</Table.Th>
              <Table.Th>{text.parameter.source}</Table.Th>
              <Table.Th>{text.parameter.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {experiment.parameters.map((one) => (
              <Table.Tr key={one.name} style={{ verticalAlign: "top" }}>
                <Table.Td>{one.name}</Table.Td>
                <Table.Td>{one.value}</Table.Td>
                <Table.Td>{text.sources[one.source]}</Table.Td>
                <Table.Td>{one.reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function Run({ experiment }: { experiment: Experiment }) {
  const { seeds, noisy } = experiment.run;
  const first = seeds[0];
  const loads = seeds.map((one) => one.load_before);
  return (
    <>
      <Title order={3} size="h4">
        {text.run}
      </Title>
      {noisy && <Alert color="orange">{text.noisy}</Alert>}
      {first && (
        <Facts
          facts={[
            [text.runFacts.size, experiment.size],
            [text.runFacts.seeds, experiment.seeds.join(", ")],
            [text.runFacts.commit, first.commit],
            [text.runFacts.cpu, first.cpu],
            [text.runFacts.load, text.load(Math.min(...loads), Math.max(...loads))],
          ]}
        />
      )}
    </>
  );
}
