import { Anchor, Badge, Button, Group, Loader, SimpleGrid, Stack, Table, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "react-router";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { HelpIcon, type Term, WithHelp } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { Affected } from "@/common/requests/AffectedCounts";
import { text as common } from "@/common/text";
import { describeDomain } from "@/filters/completion";
import { useLiveRefresh } from "@/live/LiveProvider";
import { IndexedDialog } from "./IndexedDialog";
import { KeysDialog, SealDialog } from "./SealDialogs";
import { SpacePanel } from "./SpacePanel";
import { text } from "./text";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/";

/** Page of one topic: its use, its attributes and its event space. */
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
  if (topic === undefined) return <Loader role="status" m="xl" aria-label={common.loading} />;
  if (topic === null)
    return (
      <>
        <PageHeader title={name} />
        <Empty cause={text.topic.missing(name)}>
          <Button component={Link} to="/topics">
            {text.topic.showAll}
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
              {text.topic.changeIndexed}
            </Button>
          )}
          {may.change && (
            <Button variant="default" onClick={() => setDialog("seal")}>
              {topic.seal ? text.topic.stopSealing : text.topic.seal}
            </Button>
          )}
          {may.change && topic.seal && (
            <Button variant="default" onClick={() => setDialog("keys")}>
              {text.topic.replaceKeys}
            </Button>
          )}
          {may.remove && (
            <Button variant="light" color="red" onClick={() => setDialog("delete")}>
              {text.topic.remove}
            </Button>
          )}
        </PageHeader>
        <Facts topic={topic} />
      </div>
      <section aria-labelledby="attributes">
        <Title order={2} id="attributes" mb="xs">
          {text.attributes.title}
        </Title>
        <Attributes topic={topic} />
      </section>
      <section aria-labelledby="space">
        <Title order={2} id="space" mb="xs">
          {text.topic.space}
        </Title>
        <SpacePanel topic={topic} />
      </section>
      {may.change && dialog === "indexed" && <IndexedDialog topic={topic} onClose={() => setDialog(null)} />}
      {may.change && dialog === "seal" && <SealDialog topic={topic} onClose={() => setDialog(null)} />}
      {may.change && topic.seal && dialog === "keys" && (
        <KeysDialog topic={topic} onClose={() => setDialog(null)} />
      )}
      {may.remove && dialog === "delete" && <RemoveDialog topic={topic} onClose={() => setDialog(null)} />}
    </Stack>
  );
}

function Facts({ topic: { name, counts, code, automatic_indexing, created_at, seal } }: { topic: Topic }) {
  const of = `topic=${encodeURIComponent(name)}`;
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm" maw={820}>
      <Fact name={text.facts.advertisements}>
        <Anchor underline="always" component={Link} to={`/participants?tab=advertisements&${of}`}>
          {text.facts.advertisementsFrom(counts.advertisements.toLocaleString(), counts.publishers)}
        </Anchor>
      </Fact>
      <Fact name={text.facts.subscriptions}>
        <Anchor underline="always" component={Link} to={`/participants?tab=subscriptions&${of}`}>
          {text.facts.subscriptionsFrom(counts.subscriptions.toLocaleString(), counts.subscribers)}
        </Anchor>
      </Fact>
      <Fact name={text.facts.codes}>
        {text.facts.codesOf(code, code + 1)}
        {automatic_indexing && (
          <Badge ml="xs" variant="light">
            {text.facts.automatic}
          </Badge>
        )}
        <Text size="xs" c="dimmed">
          {text.facts.codesHelp}
        </Text>
      </Fact>
      <Fact name={text.facts.seals} help="seal">
        {seal ? text.facts.on : text.facts.off}
      </Fact>
      <Fact name={text.facts.created}>
        <Time at={created_at} />
      </Fact>
    </SimpleGrid>
  );
}

function Fact({ name, help, children }: { name: string; help?: Term; children: React.ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed" component="div">
        {name} {help && <HelpIcon term={help} />}
      </Text>
      <Text component="div">{children}</Text>
    </div>
  );
}

function Attributes({ topic }: { topic: Topic }) {
  return (
    <Table aria-label={text.attributes.title} maw={720} horizontalSpacing={8}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.attributes.attribute}</Table.Th>
          <Table.Th>{text.attributes.domain}</Table.Th>
          <Table.Th>
            <WithHelp term="notIndexed">{text.attributes.checkedBy}</WithHelp>
          </Table.Th>
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
                <Badge variant="light">{text.attributes.switches}</Badge>
              ) : (
                <Text size="sm" c="dimmed">
                  {text.attributes.hosts}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function RemoveDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
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
      notifications.show({ message: text.removal.removed(topic.name), color: "green" });
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
      title={text.removal.title(name)}
      action={text.removal.confirm}
      danger
      busy={remove.isPending || check.isPending}
      disabled={Boolean(check.error) || used}
      problem={remove.error ?? (used ? null : check.error)}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {used ? (
        <Stack gap="xs">
          <Text>{text.removal.used}</Text>
          <Affected query={affected} />
          <Group gap="md">
            {(["advertisements", "subscriptions"] as const).map((kind) => (
              <Anchor
                key={kind}
                component={Link}
                to={`/participants?tab=${kind}&topic=${encodeURIComponent(name)}`}
              >
                {kind === "advertisements" ? text.removal.showAdvertisements : text.removal.showSubscriptions}
              </Anchor>
            ))}
          </Group>
        </Stack>
      ) : (
        <Text>{text.removal.unused}</Text>
      )}
    </ConfirmDialog>
  );
}
