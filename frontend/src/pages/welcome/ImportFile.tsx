import {
  Alert,
  Anchor,
  Button,
  FileInput,
  Group,
  List,
  NumberInput,
  Progress,
  Select,
  Spoiler,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "./text";

type Cost = Schemas["ImportCost"];
type Operation = Schemas["ImportOperation"];
const FORMATS = ["graphml", "gml", "sndlib", "json", "rocketfuel", "brite", "tercast"] as const;
type Format = (typeof FORMATS)[number];

/** Import of a topology file: preview with repairs, import of all objects or none, and progress. */
export function ImportFile() {
  const may = useMay("topology/import", "POST");
  const [file, setFile] = useState<File | null>(null);
  const [hosts, setHosts] = useState<number | string>(1);
  const [format, setFormat] = useState<string | null>(null);
  const [, setOperation] = useAddress("operation");
  const queries = useQueryClient();
  const look = useMutation({ mutationFn: () => send<Cost>(file, hosts, format, true) });
  const apply = useMutation({
    mutationFn: () => send<Operation>(file, hosts, format, false),
    onSuccess: (made) => {
      setOperation(String(made.id));
      queries.invalidateQueries({ queryKey: ["/api/v1/switches/"] });
    },
  });
  const change = () => {
    look.reset();
    apply.reset();
  };
  if (!may) return <Text c="dimmed">{text.import.readOnly}</Text>;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>{text.import.title}</Title>
        <DocsLink to="how-to/import-a-topology.md">{text.import.docs}</DocsLink>
      </Group>
      <Group align="flex-end" gap="sm">
        <FileInput
          label={text.import.file}
          placeholder={text.import.filePlaceholder}
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            change();
          }}
          clearable
          clearButtonProps={{ "aria-label": text.import.removeFile }}
          w={280}
        />
        <NumberInput
          label={text.import.hosts}
          value={hosts}
          onChange={(value) => {
            setHosts(value);
            change();
          }}
          min={0}
          max={100}
          allowDecimal={false}
          w={240}
        />
        <Select
          label={text.import.format}
          placeholder={text.import.formatPlaceholder}
          data={[...FORMATS]}
          value={format}
          onChange={(value) => {
            setFormat(value);
            change();
          }}
          clearable
          w={160}
        />
        <Button variant="default" disabled={!file} loading={look.isPending} onClick={() => look.mutate()}>
          {text.import.preview}
        </Button>
      </Group>
      <ProblemAlert problem={look.error} />
      {look.data && <FileSummary cost={look.data} />}
      {look.data?.accepted && !apply.data && (
        <Group>
          <Button loading={apply.isPending} onClick={() => apply.mutate()}>
            {text.import.import}
          </Button>
          <Text size="sm" c="dimmed">
            {text.import.atomic}
          </Text>
        </Group>
      )}
      <ProblemAlert problem={apply.error} />
      <ImportProgress />
    </Stack>
  );
}

function FileSummary({ cost }: { cost: Cost }) {
  const { counts, repairs, format } = cost;
  const refused = cost.results.filter(({ accepted }) => !accepted);
  return (
    <Stack gap="xs" role="status" data-found>
      <Text>{text.import.summary(format, counts.switches, counts.links, counts.hosts)}</Text>
      {repairs.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.import.noRepairs}
        </Text>
      ) : (
        <Alert color="orange" variant="light" title={text.import.repairs(repairs.length)}>
          <Spoiler
            maxHeight={160}
            showLabel={text.import.showAll}
            hideLabel={text.import.showFewer}
            styles={{ control: { color: "inherit", textDecoration: "underline" } }}
          >
            <List size="sm">
              {repairs.map((repair) => (
                <List.Item key={repair}>
                  <InlineMarkup text={repair} />
                </List.Item>
              ))}
            </List>
          </Spoiler>
        </Alert>
      )}
      {refused.length > 0 && (
        <Alert color="red" title={text.import.refused(refused.length)}>
          {refused.slice(0, 10).map(({ index, detail }) => (
            <Text key={index} size="sm">
              {detail}
            </Text>
          ))}
        </Alert>
      )}
    </Stack>
  );
}

function ImportProgress() {
  const [id] = useAddress("operation");
  const operation = useQuery({
    queryKey: ["operation", id],
    enabled: id !== "",
    refetchInterval: ({ state }) => (state.data?.finished ? false : 1_000),
    queryFn: async () => (await api.GET("/api/v1/operations/{id}/", { params: { path: { id } } })).data,
  });
  if (!id) return null;
  if (operation.error) return <ProblemAlert problem={operation.error} retry={() => operation.refetch()} />;
  if (!operation.data) return null;
  const { finished, progress, items, states } = operation.data;
  return (
    <Stack gap="xs" role="status" data-operation={finished ? "finished" : "running"}>
      <Text>{finished ? text.import.imported(states.active, items) : text.import.importing(items)}</Text>
      {!finished && <Progress value={100 * progress} aria-label={text.import.progress} />}
      {states.failed > 0 && (
        <Alert color="red">
          {text.import.failed(states.failed)}{" "}
          <Anchor component={Link} to={`/requests?state=failed&operation=${id}`} size="sm" underline="always">
            {text.import.reasons}
          </Anchor>
        </Alert>
      )}
      {finished && (
        <Text size="sm">
          {text.import.connect}{" "}
          <Anchor component={Link} to="/welcome?choice=connect" size="sm" underline="always">
            {text.import.connectLink}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

async function send<Answer>(
  file: File | null,
  hosts: number | string,
  format: string | null,
  dry: boolean,
): Promise<Answer> {
  const query = {
    hosts: Number(hosts) || 0,
    ...(format ? { format: format as Format } : {}),
    ...(dry ? { dry_run: true } : {}),
  };
  const form = new FormData();
  if (file) form.append("file", file);
  const { data } = await api.POST("/api/v1/topology/import/", {
    params: { query },
    body: { file: file?.name ?? "" },
    bodySerializer: () => form,
  });
  return data as Answer;
}
