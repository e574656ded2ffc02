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

type Operation = Schemas["Operation"];

const STATES = ["queued", "planning", "deploying", "active", "failed", "withdrawn"] as const;
const column = createColumnHelper<Operation>();
const item = createColumnHelper<NetworkRequest>();

const calls = [
  column.accessor("id", { header: "Call", meta: { sort: "id" } }),
  column.accessor("created_at", { header: "Received", cell: (cell) => <Time at={cell.getValue()} /> }),
  column.accessor("items", { header: "Items", meta: { align: "right" } }),
  column.accessor("states", {
    header: "Became",
    cell: (cell) => describeStates(cell.getValue()),
  }),
  column.accessor("progress", {
    header: "Progress",
    cell: ({ row: { original } }) => (
      <Progress
        value={original.progress * 100}
        color={original.states.failed ? "red" : undefined}
        aria-label={`${Math.round(original.progress * 100)} %`}
        miw={60}
      />
    ),
    meta: { priority: "low" },
  }),
];

const items = [
  item.accessor("index", { header: "Item", cell: (cell) => (cell.getValue() ?? 0) + 1 }),
  item.accessor("kind", {
    header: "Request",
    cell: ({ row: { original } }) => `${kindWords(original.kind)} ${original.object?.name ?? ""}`,
  }),
  item.accessor("state", { header: "State", cell: (cell) => <StateBadge state={cell.getValue()} /> }),
  item.accessor("problem", {
    header: "Why",
    cell: (cell) => cell.getValue()?.detail ?? "",
    meta: { priority: "low" },
  }),
];

/** "12 active, 3 failed" */
function describeStates(states: Operation["states"]): string {
  return STATES.filter((state) => states[state] > 0)
    .map((state) => `${states[state].toLocaleString()} ${state}`)
    .join(", ");
}

/** Bulk calls, or the results of the one that the address names. */
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
      label="Bulk calls"
      list={list}
      columns={calls}
      rowId={({ id }) => String(id)}
      onSelect={({ id }) => onOpen(String(id))}
      ordering={ordering}
      onOrdering={setOrdering}
      empty={
        <Empty cause="There was no bulk call yet. A list of advertisements, subscriptions, switches, links, hosts or budgets in one call is one." />
      }
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
          <Title order={2}>Call {call}</Title>
          {one.data && (
            <Text size="sm" role="status">
              {one.data.items.toLocaleString()} items: {describeStates(one.data.states)}
            </Text>
          )}
        </Group>
        <Group gap="xs">
          <Select
            aria-label="State of the items"
            placeholder="Any state"
            data={[...STATES]}
            value={state || null}
            onChange={setState}
            clearable
            w={150}
          />
          <Button variant="default" onClick={onBack}>
            All bulk calls
          </Button>
        </Group>
      </Group>
      <MergingNote merging={one.data?.merging} />
      <DataTable
        label={`Items of call ${call}`}
        list={list}
        columns={items}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        empty={
          <Empty cause="No item is in this state.">
            <Anchor component="button" onClick={() => setState(null)}>
              Show all items
            </Anchor>
          </Empty>
        }
      />
      <RequestPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
