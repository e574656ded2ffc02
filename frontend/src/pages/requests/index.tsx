import { Badge, Code, Select, Stack, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { createColumnHelper } from "@tanstack/react-table";
import type { NetworkRequest } from "@/api/request";
import { useAddress } from "@/common/address";
import { DataTable } from "@/common/DataTable";
import { Empty } from "@/common/Empty";
import { useList } from "@/common/list";
import { PageHeader } from "@/common/PageHeader";
import { Time } from "@/common/time";
import { useLiveRefresh } from "@/live/LiveProvider";

const STATES = ["queued", "planning", "deploying", "active", "failed", "withdrawn"];
const COLOR: Record<string, string> = { active: "green", failed: "red", withdrawn: "gray" };
const column = createColumnHelper<NetworkRequest>();

const columns = [
  column.accessor("id", { header: "Id", meta: { sort: "id" } }),
  column.accessor("kind", { header: "Request", cell: (cell) => <Code>{cell.getValue()}</Code> }),
  column.accessor("state", {
    header: "State",
    cell: (cell) => (
      <Badge variant="light" color={COLOR[cell.getValue()] ?? "teal"}>
        {cell.getValue()}
      </Badge>
    ),
  }),
  column.accessor("stage.received", { header: "Received", cell: (cell) => <Time at={cell.getValue()} /> }),
];

/** The log of requests. */
export function Component() {
  const [state, setState] = useAddress("state");
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const search = useDebouncedCallback(setQ, 250);
  const list = useList<NetworkRequest>("/api/v1/requests/", { state, q }, { ordering });
  useLiveRefresh(["request", "requests"], ["/api/v1/requests/"]);
  return (
    <Stack>
      <PageHeader title="Requests">
        <TextInput
          aria-label="Search"
          placeholder="Search"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={STATES}
          value={state || null}
          onChange={setState}
          clearable
        />
      </PageHeader>
      <DataTable
        label="Requests"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause="No request is like that. Each advertisement, subscription and change of the network is one." />
        }
      />
    </Stack>
  );
}
