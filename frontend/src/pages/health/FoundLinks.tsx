import { Badge, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useNetworkRequest } from "@/api/request";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";

type FoundLink = Schemas["FoundLink"];
const FOUND = "/api/v1/found-links/";
const column = createColumnHelper<FoundLink>();

const columns = [
  column.display({
    id: "link",
    header: "Link",
    cell: ({ row: { original: one } }) => (
      <>
        <Text size="sm" style={{ whiteSpace: "nowrap" }}>
          {linkName(one)}
        </Text>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {one.detail}
        </Text>
      </>
    ),
  }),
  column.accessor("state", {
    header: "State",
    cell: (cell) => (
      <Badge color={cell.getValue() === "waiting" ? "orange" : "gray"} variant="light">
        {cell.getValue()}
      </Badge>
    ),
  }),
  column.accessor("detail", { header: "Why it waits", meta: { priority: "low" } }),
  column.accessor("found_at", {
    header: "Found",
    meta: { sort: "id", priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.display({
    id: "decision",
    header: "Decision",
    cell: ({ row: { original: one } }) => <Decision link={one} />,
  }),
];

/** Links that probes cross and that are not in the network, for an operator to approve or reject. */
export function FoundLinks() {
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const list = useList<FoundLink>(FOUND, {}, { ordering, limit: 50 });
  useLiveRefresh(["found_link"], [FOUND]);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>Found links</Title>
        <DocsLink to="monitoring.md, Found links" />
      </Group>
      <Text size="sm">
        Discovery probes cross these links, and nobody declared them. Approve adds a link to the network;
        Reject keeps it out. Approve only links whose cable you know: two hosts that relay probes to each
        other look like a cable.
      </Text>
      <DataTable
        label="Found links"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause="No link waits for approval, and none was rejected." />}
      />
    </Stack>
  );
}

/** The buttons of one link; without the right to decide, who decided. */
export function Decision({ link }: { link: FoundLink }) {
  const may = useMay("found-links/{pk}/approve", "POST");
  const queries = useQueryClient();
  const path = { params: { path: { id: String(link.id) } } };
  const approve = useNetworkRequest(
    async () => (await api.POST("/api/v1/found-links/{id}/approve/", path)).data,
    { what: `The link ${linkName(link)} is in the network.`, refresh: [[FOUND]] },
  );
  const reject = useMutation({
    mutationFn: async () => (await api.POST("/api/v1/found-links/{id}/reject/", path)).data,
    onSettled: () => queries.invalidateQueries({ queryKey: [FOUND] }),
  });
  const busy = approve.isPending || reject.isPending;
  return (
    <Stack gap={4}>
      {link.decided_by && <Text size="sm">rejected by {link.decided_by}</Text>}
      {may && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="light"
            loading={approve.isPending}
            disabled={busy}
            aria-label={`Approve ${linkName(link)}`}
            onClick={() => approve.mutate(undefined)}
          >
            Approve
          </Button>
          {link.state === "waiting" && (
            <Button
              size="xs"
              variant="default"
              loading={reject.isPending}
              disabled={busy}
              aria-label={`Reject ${linkName(link)}`}
              onClick={() => reject.mutate()}
            >
              Reject
            </Button>
          )}
        </Group>
      )}
      <ProblemAlert problem={approve.error ?? reject.error} />
    </Stack>
  );
}

function linkName(link: FoundLink): string {
  return `${link.a}:${link.a_port} to ${link.b}:${link.b_port}`;
}
