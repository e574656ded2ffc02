import { Badge, Button, Code, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { createColumnHelper } from "@tanstack/react-table";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";

type Action = Schemas["AuditedAction"];
const ACTIONS = "/api/v1/audit/actions/";
const COLOR: Record<string, string> = { done: "green", denied: "red", refused: "orange", failed: "red" };
const OUTCOMES = ["done", "refused", "denied", "failed", "begun"];
const column = createColumnHelper<Action>();

const columns = [
  column.accessor("at", {
    header: "When",
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.display({ id: "who", header: "Who", cell: ({ row }) => <Who action={row.original} /> }),
  column.display({
    id: "what",
    header: "What",
    cell: ({ row: { original: one } }) => (
      <Code style={{ overflowWrap: "anywhere" }}>
        {one.method} {about(one)}
      </Code>
    ),
  }),
  column.accessor("outcome", {
    header: "Outcome",
    cell: ({ row: { original: one } }) => (
      <>
        <Badge variant="light" color={COLOR[one.outcome] ?? "gray"}>
          {one.outcome}
        </Badge>
        {one.times > 1 ? ` ${one.times} times` : ""}
      </>
    ),
  }),
  column.accessor("detail", { header: "Why not", meta: { priority: "low" } }),
  column.accessor("address", { header: "From", meta: { priority: "low" } }),
];

/** Who changed or tried what. */
export function Actions() {
  const [q, setQ] = useAddress("q");
  const [actor, setActor] = useAddress("actor");
  const [outcome, setOutcome] = useAddress("outcome");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const search = useDebouncedCallback(setQ, 250);
  const searchActor = useDebouncedCallback(setActor, 250);
  const list = useList<Action>(ACTIONS, { q, actor, outcome }, { ordering });
  const file = new URLSearchParams({ format: "csv", ordering });
  for (const [name, value] of Object.entries({ q, actor, outcome })) if (value) file.set(name, value);
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Group gap="xs">
          <TextInput
            label="Search"
            defaultValue={q}
            onChange={(event) => search(event.currentTarget.value)}
          />
          <TextInput
            label="User"
            defaultValue={actor}
            onChange={(event) => searchActor(event.currentTarget.value)}
          />
          <Select
            label="Outcome"
            placeholder="Any"
            clearable
            w={120}
            data={OUTCOMES}
            value={outcome || null}
            onChange={setOutcome}
          />
        </Group>
        {list.rows.length > 0 && (
          <Button component="a" variant="default" href={`${ACTIONS}?${file}`} download="tercast-actions.csv">
            All as CSV
          </Button>
        )}
      </Group>
      <DataTable
        label="Actions"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty
            cause={
              q || actor || outcome
                ? "Nothing like that was done or tried."
                : "Nobody has changed anything yet."
            }
          />
        }
      />
    </Stack>
  );
}

/** What it was about, said once: the address of an object begins with its resource. */
function about({ resource, object }: Action): string {
  const address = object.replace(/^\/api\/v1\//, "").replace(/\/$/, "");
  return address.startsWith(resource) ? address : `${resource} ${object}`;
}

function Who({ action: { actor, token, client } }: { action: Action }) {
  return (
    <>
      {actor ?? "not logged in"}
      {(token || client) && (
        <Text size="xs" c="dimmed">
          {[token && `token ${token}`, client && `for ${client}`].filter(Boolean).join(", ")}
        </Text>
      )}
    </>
  );
}
