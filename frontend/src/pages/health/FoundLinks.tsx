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
import { text as page } from "./text";

const text = page.foundLinks;

type FoundLink = Schemas["FoundLink"];
const FOUND = "/api/v1/found-links/";
const column = createColumnHelper<FoundLink>();

const columns = [
  column.display({
    id: "link",
    header: text.columns.link,
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
    header: text.columns.state,
    cell: (cell) => (
      <Badge color={cell.getValue() === "waiting" ? "orange" : "gray"} variant="light">
        {cell.getValue()}
      </Badge>
    ),
  }),
  column.accessor("detail", { header: text.columns.reason, meta: { priority: "low" } }),
  column.accessor("found_at", {
    header: text.columns.found,
    meta: { sort: "id", priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.display({
    id: "decision",
    header: text.columns.decision,
    cell: ({ row: { original: one } }) => <Decision link={one} />,
  }),
];

/** Tab with links that probes cross and the network does not contain. Operators approve or reject them. */
export function FoundLinks() {
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const list = useList<FoundLink>(FOUND, {}, { ordering, limit: 50 });
  useLiveRefresh(["found_link"], [FOUND]);
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{text.title}</Title>
        <DocsLink to="monitoring.md, Found links" />
      </Group>
      <Text size="sm">{text.about}</Text>
      <DataTable
        label={text.title}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause={text.empty} />}
      />
    </Stack>
  );
}

/** Buttons for one link, and the user who rejected it. Users without the permission see no buttons. */
export function Decision({ link }: { link: FoundLink }) {
  const may = useMay("found-links/{pk}/approve", "POST");
  const queries = useQueryClient();
  const path = { params: { path: { id: String(link.id) } } };
  const approve = useNetworkRequest(
    async () => (await api.POST("/api/v1/found-links/{id}/approve/", path)).data,
    { what: text.approved(linkName(link)), refresh: [[FOUND]] },
  );
  const reject = useMutation({
    mutationFn: async () => (await api.POST("/api/v1/found-links/{id}/reject/", path)).data,
    onSettled: () => queries.invalidateQueries({ queryKey: [FOUND] }),
  });
  const busy = approve.isPending || reject.isPending;
  return (
    <Stack gap={4}>
      {link.decided_by && <Text size="sm">{text.rejectedBy(link.decided_by)}</Text>}
      {may && (
        <Group gap="xs">
          <Button
            size="xs"
            variant="light"
            loading={approve.isPending}
            disabled={busy}
            aria-label={text.approveLink(linkName(link))}
            onClick={() => approve.mutate(undefined)}
          >
            {text.approve}
          </Button>
          {link.state === "waiting" && (
            <Button
              size="xs"
              variant="default"
              loading={reject.isPending}
              disabled={busy}
              aria-label={text.rejectLink(linkName(link))}
              onClick={() => reject.mutate()}
            >
              {text.reject}
            </Button>
          )}
        </Group>
      )}
      <ProblemAlert problem={approve.error ?? reject.error} />
    </Stack>
  );
}

function linkName(link: FoundLink): string {
  return text.name(`${link.a}:${link.a_port}`, `${link.b}:${link.b_port}`);
}
