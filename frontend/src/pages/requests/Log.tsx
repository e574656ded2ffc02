import { Button, Group, Select, Stack } from "@mantine/core";
import { Link, useSearchParams } from "react-router";
import type { NetworkRequest } from "@/api/request";
import { useAddress } from "@/common/address";
import { SearchField } from "@/common/forms/SearchField";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { columns } from "./columns";
import { KINDS } from "./kinds";
import { RequestPanel } from "./RequestPanel";
import classes from "./requests.module.css";
import { TimeRange } from "./TimeRange";

const ON_ITS_WAY = "queued,planning,deploying";
const STATES = [
  { value: ON_ITS_WAY, label: "on its way" },
  ...["queued", "planning", "deploying", "active", "failed", "withdrawn"],
];
const KIND_CHOICES = Object.entries(KINDS).map(([value, label]) => ({ value, label }));
const FILTERS = ["state", "kind", "q", "object", "from", "to", "page"];

/** All requests, the newest first; one of them opens beside the list. */
export function Log() {
  const [state, setState] = useAddress("state");
  const [kind, setKind] = useAddress("kind");
  const [q, setQ] = useAddress("q");
  const [object] = useAddress("object");
  const [from, setFrom] = useAddress("from");
  const [to, setTo] = useAddress("to");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const [row, setRow] = useAddress("row");
  const [parameters, setParameters] = useSearchParams();
  const filtered = FILTERS.slice(0, -1).some((name) => parameters.has(name));
  const list = useList<NetworkRequest>(
    "/api/v1/requests/",
    {
      ...(state.includes(",") ? { state__in: state } : { state }),
      ...{ kind, q, object, received_at__gte: from, received_at__lte: to },
    },
    { ordering },
  );
  useLiveRefresh(["request", "requests", "reach"], ["/api/v1/requests/"]);

  const clear = () =>
    setParameters(
      (before) => {
        const after = new URLSearchParams(before);
        for (const name of FILTERS) after.delete(name);
        return after;
      },
      { replace: true },
    );

  return (
    <Stack>
      <Group gap="xs" role="search" aria-label="Filter the log">
        <SearchField
          label="Search by object, kind or id of the call"
          placeholder="Object, kind, id of the call"
          q={q}
          setQ={setQ}
          className={classes.search}
        />
        <Select
          aria-label="State"
          placeholder="Any state"
          data={STATES}
          value={state || null}
          onChange={setState}
          clearable
          className={classes.filter}
        />
        <Select
          aria-label="Kind"
          placeholder="Any kind"
          data={KIND_CHOICES}
          value={kind || null}
          onChange={setKind}
          clearable
          searchable
          className={classes.filter}
        />
        <TimeRange from={from} to={to} setFrom={setFrom} setTo={setTo} />
        {filtered && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <DataTable
        label="Requests"
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty
            cause={
              filtered
                ? "No request is like that."
                : "There is no request yet. Each advertisement, subscription and change of the network is one."
            }
          >
            {filtered ? (
              <Button variant="light" onClick={clear}>
                Show all requests
              </Button>
            ) : (
              <Button component={Link} to="/welcome">
                Set up a network
              </Button>
            )}
          </Empty>
        }
      />
      <RequestPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
