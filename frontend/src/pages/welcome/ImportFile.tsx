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
import { formatQuantity } from "@/common/requests/AffectedCounts";

type Cost = Schemas["ImportCost"];
type Operation = Schemas["ImportOperation"];
const FORMATS = ["graphml", "gml", "sndlib", "json", "rocketfuel", "brite", "tercast"] as const;
type Format = (typeof FORMATS)[number];

/** A topology file: looked at first, with all that was repaired, then taken in as a whole, and followed. */
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
  if (!may) return <Text c="dimmed">Operators can import a topology; you may look.</Text>;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2}>Import a topology file</Title>
        <DocsLink to="how-to/import-a-topology.md">Documentation: import a topology</DocsLink>
      </Group>
      <Group align="flex-end" gap="sm">
        <FileInput
          label="File"
          placeholder="Choose a file"
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            change();
          }}
          clearable
          clearButtonProps={{ "aria-label": "Take the file out" }}
          w={280}
        />
        <NumberInput
          label="Hosts to add at each switch"
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
          label="Format"
          placeholder="by its content"
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
          Look at it
        </Button>
      </Group>
      <ProblemAlert problem={look.error} />
      {look.data && <FileSummary cost={look.data} />}
      {look.data?.accepted && !apply.data && (
        <Group>
          <Button loading={apply.isPending} onClick={() => apply.mutate()}>
            Take it in
          </Button>
          <Text size="sm" c="dimmed">
            As a whole, or not at all.
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
      <Text>
        Read as {format}: {formatQuantity(counts.switches, "switch", "switches")},{" "}
        {formatQuantity(counts.links, "link")}, {formatQuantity(counts.hosts, "host")}. Nothing is changed
        yet.
      </Text>
      {repairs.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing had to be repaired.
        </Text>
      ) : (
        <Alert color="orange" variant="light" title={formatQuantity(repairs.length, "repair")}>
          <Spoiler
            maxHeight={160}
            showLabel="Show all"
            hideLabel="Show fewer"
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
        <Alert color="red" title={`${refused.length} would be refused`}>
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
    <Stack gap="xs" role="status" data-operation={finished ? "finished" : "going on"}>
      <Text>
        {finished
          ? `${states.active.toLocaleString()} of ${items.toLocaleString()} parts are in the network.`
          : `${items.toLocaleString()} parts are being taken in.`}
      </Text>
      {!finished && <Progress value={100 * progress} aria-label="Progress of the import" />}
      {states.failed > 0 && (
        <Alert color="red">
          {states.failed.toLocaleString()} failed.{" "}
          <Anchor component={Link} to={`/requests?state=failed&operation=${id}`} size="sm" underline="always">
            See why
          </Anchor>
        </Alert>
      )}
      {finished && (
        <Text size="sm">
          Its switches have yet to connect:{" "}
          <Anchor component={Link} to="/welcome?choice=connect" size="sm" underline="always">
            what to type at them
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
