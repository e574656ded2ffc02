import { Badge, Button, Code, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { createColumnHelper } from "@tanstack/react-table";
import type { Schemas } from "@/api/client";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { text as page } from "./text";

const text = page.actions;

type Action = Schemas["AuditedAction"];
const ACTIONS = "/api/v1/audit/actions/";
const COLOR: Record<string, string> = { done: "green", denied: "red", refused: "orange", failed: "red" };
const OUTCOMES = Object.entries(text.outcomes).map(([value, label]) => ({ value, label }));
const column = createColumnHelper<Action>();

const columns = [
  column.accessor("at", {
    header: text.columns.time,
    meta: { sort: "id" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.display({ id: "who", header: text.columns.user, cell: ({ row }) => <Who action={row.original} /> }),
  column.display({
    id: "what",
    header: text.columns.call,
    cell: ({ row: { original: one } }) => (
      <Code style={{ overflowWrap: "anywhere" }}>
        {one.method} {about(one)}
      </Code>
    ),
  }),
  column.accessor("outcome", {
    header: text.columns.outcome,
    cell: ({ row: { original: one } }) => (
      <>
        <Badge variant="light" color={COLOR[one.outcome] ?? "gray"}>
          {text.outcomes[one.outcome] ?? one.outcome}
        </Badge>
        {one.times > 1 && <> {text.times(one.times)}</>}
      </>
    ),
  }),
  column.accessor("detail", { header: text.columns.reason, meta: { priority: "low" } }),
  column.accessor("address", { header: text.columns.address, meta: { priority: "low" } }),
];

/** Tab "User actions": calls of users that changed something or were refused. */
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
            label={page.search}
            defaultValue={q}
            onChange={(event) => search(event.currentTarget.value)}
          />
          <TextInput
            label={text.user}
            defaultValue={actor}
            onChange={(event) => searchActor(event.currentTarget.value)}
          />
          <Select
            label={text.outcome}
            placeholder={text.anyOutcome}
            clearable
            w={160}
            data={OUTCOMES}
            value={outcome || null}
            onChange={setOutcome}
          />
        </Group>
        {list.rows.length > 0 && (
          <Button component="a" variant="default" href={`${ACTIONS}?${file}`} download="tercast-actions.csv">
            {text.csv}
          </Button>
        )}
      </Group>
      <DataTable
        label={text.label}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={<Empty cause={q || actor || outcome ? text.noMatch : text.empty} />}
      />
    </Stack>
  );
}

/** Address of the object of an action. The resource is added if the address does not start with it. */
function about({ resource, object }: Action): string {
  const address = object.replace(/^\/api\/v1\//, "").replace(/\/$/, "");
  return address.startsWith(resource) ? address : `${resource} ${object}`;
}

function Who({ action: { actor, token, client } }: { action: Action }) {
  return (
    <>
      {actor ?? text.anonymous}
      {(token || client) && (
        <Text size="xs" c="dimmed">
          {[token && text.token(token), client && text.client(client)].filter(Boolean).join(", ")}
        </Text>
      )}
    </>
  );
}
