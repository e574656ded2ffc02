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
import { RequestPanel } from "./RequestPanel";
import classes from "./requests.module.css";
import { TimeRange } from "./TimeRange";
import { text } from "./text";

const UNFINISHED = "queued,planning,deploying";
const STATES = [
  { value: UNFINISHED, label: text.states.unfinished },
  ...["queued", "planning", "deploying", "active", "failed", "withdrawn"],
];
const KIND_CHOICES = Object.entries(text.kinds).map(([value, label]) => ({ value, label }));
const FILTERS = ["state", "kind", "q", "object", "from", "to", "page"];

/** List of all requests, the newest first. A selected request opens in a panel. */
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
      <Group gap="xs" role="search" aria-label={text.log.filter}>
        <SearchField
          label={text.log.search}
          placeholder={text.log.searchPlaceholder}
          q={q}
          setQ={setQ}
          className={classes.search}
        />
        <Select
          aria-label={text.log.state}
          placeholder={text.states.any}
          data={STATES}
          value={state || null}
          onChange={setState}
          clearable
          className={classes.filter}
        />
        <Select
          aria-label={text.log.kind}
          placeholder={text.log.anyKind}
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
            {text.log.clear}
          </Button>
        )}
      </Group>
      <DataTable
        label={text.log.label}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={row}
        onSelect={({ id }) => setRow(String(id))}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          <Empty cause={filtered ? text.log.noMatch : text.log.empty}>
            {filtered ? (
              <Button variant="light" onClick={clear}>
                {text.log.showAll}
              </Button>
            ) : (
              <Button component={Link} to="/welcome">
                {text.log.setUp}
              </Button>
            )}
          </Empty>
        }
      />
      <RequestPanel id={row} onOpen={setRow} />
    </Stack>
  );
}
