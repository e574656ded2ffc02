import { Anchor, Badge, Button, Group, Loader, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { Affected } from "@/common/requests/AffectedCounts";
import { describeDomain } from "@/filters/completion";
import { useLiveRefresh } from "@/live/LiveProvider";
import { IndexedDialog } from "./IndexedDialog";
import { KeysDialog, SealDialog } from "./SealDialogs";
import { SpacePanel } from "./SpacePanel";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/";

/** A topic: its attributes, who uses it, and its event space. */
export function Component() {
  const { name = "" } = useParams();
  const [dialog, setDialog] = useAddress("dialog");
  const may = { change: useMay("topics", "PATCH"), remove: useMay("topics", "DELETE") };
  const found = useQuery({
    queryKey: [PATH, "named", name],
    queryFn: async ({ signal }) =>
      (await api.GET(PATH, { params: { query: { name } }, signal })).data?.results[0] ?? null,
  });
  useLiveRefresh(["request", "requests", "move", "encoding"], [PATH, "named", name]);
  const topic = found.data;
  if (found.error) return <ProblemAlert problem={found.error} retry={() => void found.refetch()} />;
  if (topic === undefined) return <Loader role="status" m="xl" aria-label="Loading" />;
  if (topic === null)
    return (
      <>
        <PageHeader title={name} />
        <Empty cause={`There is no topic “${name}”; it may have been deleted.`}>
          <Button component={Link} to="/topics">
            To the topics
          </Button>
        </Empty>
      </>
    );
  return (
    <Stack gap="lg">
      <div>
        <PageHeader title={topic.name}>
          {may.change && (
            <Button variant="default" onClick={() => setDialog("indexed")}>
              Change what is indexed
            </Button>
          )}
          {may.change && (
            <Button variant="default" onClick={() => setDialog("seal")}>
              {topic.seal ? "Stop sealing" : "Seal events"}
            </Button>
          )}
          {may.change && topic.seal && (
            <Button variant="default" onClick={() => setDialog("keys")}>
              Replace keys
            </Button>
          )}
          {may.remove && (
            <Button variant="light" color="red" onClick={() => setDialog("delete")}>
              Delete
            </Button>
          )}
        </PageHeader>
        <Facts topic={topic} />
      </div>
      <section aria-labelledby="attributes">
        <Title order={2} id="attributes" mb="xs">
          Attributes
        </Title>
        <Attributes topic={topic} />
      </section>
      <section aria-labelledby="space">
        <Title order={2} id="space" mb="xs">
          Event space
        </Title>
        <SpacePanel topic={topic} />
      </section>
      {may.change && dialog === "indexed" && <IndexedDialog topic={topic} onClose={() => setDialog(null)} />}
      {may.change && dialog === "seal" && <SealDialog topic={topic} onClose={() => setDialog(null)} />}
      {may.change && topic.seal && dialog === "keys" && (
        <KeysDialog topic={topic} onClose={() => setDialog(null)} />
      )}
      {may.remove && dialog === "delete" && <Delete topic={topic} onClose={() => setDialog(null)} />}
    </Stack>
  );
}

function Facts({ topic: { name, counts, code, automatic_indexing, created_at, seal } }: { topic: Topic }) {
  const of = `topic=${encodeURIComponent(name)}`;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" maw={820}>
      <Fact name="Advertisements">
        <Anchor underline="always" component={Link} to={`/participants?tab=advertisements&${of}`}>
          {counts.advertisements.toLocaleString()}
        </Anchor>{" "}
        by {counts.publishers.toLocaleString()} publishers
      </Fact>
      <Fact name="Subscriptions">
        <Anchor underline="always" component={Link} to={`/participants?tab=subscriptions&${of}`}>
          {counts.subscriptions.toLocaleString()}
        </Anchor>{" "}
        by {counts.subscribers.toLocaleString()} subscribers
      </Fact>
      <Fact name="Topic code">
        {code} and {code + 1}
        {automatic_indexing && (
          <Badge ml="xs" variant="light">
            chooses its index
          </Badge>
        )}
      </Fact>
      <Fact name="Event seals">{seal ? "on" : "off"}</Fact>
      <Fact name="Made">
        <Time at={created_at} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="div">{children}</Text>
    </div>
  );
}

function Attributes({ topic }: { topic: Topic }) {
  return (
    <Table aria-label="Attributes" maw={720} horizontalSpacing={8}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Attribute</Table.Th>
          <Table.Th>Type and domain</Table.Th>
          <Table.Th>Matched by</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {topic.attributes.map((attribute) => (
          <Table.Tr key={attribute.name}>
            <Table.Td fw={600}>{attribute.name}</Table.Td>
            <Table.Td style={{ overflowWrap: attribute.type === "enum" ? "anywhere" : "normal" }}>
              {describeDomain(attribute)}
            </Table.Td>
            <Table.Td>
              {topic.indexed.includes(attribute.name) ? (
                <Badge variant="light">switches</Badge>
              ) : (
                <Text size="sm" c="dimmed">
                  hosts
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Delete({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const path = { id: String(topic.id) };
  const check = useQuery({
    queryKey: ["topics/delete", topic.id],
    staleTime: 0,
    retry: false,
    queryFn: async ({ signal }) =>
      (await api.DELETE("/api/v1/topics/{id}/", { params: { path, query: { dry_run: true } }, signal }))
        .data ?? null,
  });
  const remove = useMutation({
    mutationFn: async () => void (await api.DELETE("/api/v1/topics/{id}/", { params: { path } })),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: [PATH] });
      notifications.show({ message: `Topic ${topic.name} was deleted.`, color: "green" });
      navigate("/topics");
    },
  });
  const affected = useQuery({
    queryKey: ["topics/affected", topic.id],
    staleTime: 0,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/topics/{id}/affected/", { params: { path }, signal }))
        .data as Schemas["Affected"],
  });
  const { counts, name } = topic;
  const used = counts.advertisements + counts.subscriptions > 0;
  return (
    <ConfirmDialog
      opened
      title={`Delete topic ${name}?`}
      action="Delete the topic"
      danger
      busy={remove.isPending || check.isPending}
      disabled={Boolean(check.error) || used}
      problem={remove.error ?? (used ? null : check.error)}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {used ? (
        <Stack gap="xs">
          <Text>It is in use, and cannot be deleted before what is announced of it is withdrawn:</Text>
          <Affected query={affected} />
          <Group gap="md">
            {(["advertisements", "subscriptions"] as const).map((kind) => (
              <Anchor
                key={kind}
                component={Link}
                to={`/participants?tab=${kind}&topic=${encodeURIComponent(name)}`}
              >
                See the {kind}
              </Anchor>
            ))}
          </Group>
        </Stack>
      ) : (
        <Text>
          Nothing is announced of it: nobody is affected. Its name and codes are free again afterwards.
        </Text>
      )}
    </ConfirmDialog>
  );
}
