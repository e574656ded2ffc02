import { Anchor, Button, Group, Progress, Select, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { api, type Schemas } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { MergingNote } from "@/common/requests/MergingNote";
import { StateBadge } from "@/common/requests/StateBadge";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { kindWords } from "./kinds";
import { RequestPanel } from "./RequestPanel";
import { text } from "./text";

type Operation = Schemas["Operation"];

const STATES = ["queued", "planning", "deploying", "active", "failed", "withdrawn"] as const;
const column = createColumnHelper<Operation>();
const item = createColumnHelper<NetworkRequest>();

const calls = [
  column.accessor("id", { header: text.calls.call, meta: { sort: "id" } }),
  column.accessor("created_at", {
    header: text.calls.received,
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("items", { header: text.calls.items, meta: { align: "right" } }),
  column.accessor("states", {
    header: text.calls.states,
    cell: (cell) => describeStates(cell.getValue()),
  }),
  column.accessor("progress", {
    header: text.calls.progress,
    cell: ({ row: { original } }) => (
      <Progress
        value={original.progress * 100}
        color={original.states.failed ? "red" : undefined}
        aria-label={text.calls.percent(original.progress)}
        miw={60}
      />
    ),
    meta: { priority: "low" },
  }),
];

const items = [
  item.accessor("index", { header: text.calls.item, cell: (cell) => (cell.getValue() ?? 0) + 1 }),
  item.accessor("kind", {
    header: text.columns.request,
    cell: ({ row: { original } }) =>
      [kindWords(original.kind), original.object?.name].filter(Boolean).join(" "),
  }),
  item.accessor("state", {
    header: text.columns.state,
    cell: (cell) => <StateBadge state={cell.getValue()} />,
  }),
  item.accessor("problem", {
    header: text.calls.reason,
    cell: (cell) => cell.getValue()?.detail ?? "",
    meta: { priority: "low" },
  }),
];

/** For example "12 active, 3 failed". */
function describeStates(states: Operation["states"]): string {
  return STATES.filter((state) => states[state] > 0)
    .map((state) => text.states.counts(states[state], state))
    .join(", ");
}

/** List of bulk calls, or the results of the call in the address. */
export function Calls() {
  const [call, setCall] = useAddress("call");
  useLiveRefresh(["request", "requests"], ["/api/v1/operations/"]);
  return call ? <Results call={call} onBack={() => setCall(null)} /> : <AllCalls onOpen={setCall} />;
}

function AllCalls({ onOpen }: { onOpen: (call: string) => void }) {
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const list = useList<Operation>("/api/v1/operations/", {}, { ordering });
  return (
    <DataTable
      label={text.calls.label}
      list={list}
      columns={calls}
      rowId={({ id }) => String(id)}
      onSelect={({ id }) => onOpen(String(id))}
      ordering={ordering}
      onOrdering={setOrdering}
      empty={<Empty cause={text.calls.empty} />}
    />
  );
}

function Results({ call, onBack }: { call: string; onBack: () => void }) {
  const [state, setState] = useAddress("items");
  const [row, setRow] = useAddress("row");
  const path = `/api/v1/operations/${encodeURIComponent(call)}/results/`;
  const one = useQuery({
    queryKey: ["/api/v1/operations/", "one", call],
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/operations/{id}/", { params: { path: { id: call } }, signal })).data,
  });
  const list = useList<NetworkRequest>(path, { state }, { name: "items-page", ordering: "index" });
  useLiveRefresh(["request", "requests"], [path]);
  if (one.error) return <ProblemAlert problem={one.error} retry={() => void one.refetch()} />;
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{text.calls.title(call)}</Title>
          {one.data && (
            <Text size="sm" role="status">
              {text.calls.summary(one.data.items, describeStates(one.data.states))}
            </Text>
          )}
        </Group>
        <Group gap="xs">
          <Select
            aria-label={text.calls.itemState}
            placeholder={text.states.any}
            data={[...STATES]}
            value={state || null}
            onChange={setState}
            clearable
            w={150}
          />
          <Button variant="default" onClick={onBack}>
            {text.calls.all}
          </Button>
        </Group>
      </Group>
      <MergingNote merging={one.data?.merging} />
      <DataTable
        label={text.calls.itemsLabel(call)}
        list={list}
        columns={items}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        empty={
          <Empty cause={text.calls.noItem}>
            <Anchor component="button" onClick={() => setState(null)}>
              {text.calls.showAll}
            </Anchor>
          </Empty>
        }
      />
      <RequestPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
