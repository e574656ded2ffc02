import { Button, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import type { NetSwitch, Network } from "../model/network";
import { outputTexts, peersByPort } from "../model/ports";
import { formatShort } from "../model/scales";
import { text } from "../text";
import { EntryFilters, useEntryFilters } from "./EntryFilters";
import { EntryOrigin } from "./EntryOrigin";

type Entry = Schemas["Entry"];
type Counts = ReadonlyMap<number, Schemas["EntryCounter"]>;
const column = createColumnHelper<Entry>();
const { entries: texts } = text;
const OFTEN = 5_000; // entries up to which counters are read repeatedly

/** Confirmed entries of a switch: match, meaning, outputs and packet counters. */
export function Entries({ row, network }: { row: NetSwitch; network: Network }) {
  const filters = useEntryFilters();
  const [chosen, setChosen] = useAddress("entry");
  const path = `/api/v1/tables/${row.id}/entries/`;
  const list = useList<Entry>(path, filters.asked, { ordering: "id" });
  useLiveRefresh(["tables"], [path]);
  const counters = useCounters(row, list.rows);
  const columns = useMemo(
    () => columnsOf(network, row.name, counters.counts),
    [network, row.name, counters.counts],
  );
  const entry = list.rows.find(({ id }) => String(id) === chosen);
  return (
    <Stack gap="xs">
      <EntryFilters filters={filters} network={network} name={row.name} />
      <DataTable
        label={texts.table(row.name)}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        selected={chosen}
        onSelect={({ id }) => setChosen(String(id) === chosen ? null : String(id))}
        height={entry ? 240 : 340}
        empty={
          <Empty cause={filters.any ? texts.noMatch(row.name) : texts.none}>
            {filters.any && (
              <Button size="xs" variant="default" onClick={filters.clear}>
                {texts.showAll}
              </Button>
            )}
          </Empty>
        }
      />
      <Text size="xs" c="dimmed" hidden={list.rows.length === 0}>
        {counters.problem ?? texts.counters(<Time at={counters.at} empty="…" />)}
      </Text>
      {entry && <EntryOrigin row={row} entry={entry} />}
    </Stack>
  );
}

/** Packet counters of a page of entries. They are read repeatedly while the page is shown, unless there are many. */
function useCounters(row: NetSwitch, entries: readonly Entry[]) {
  const ids = entries.slice(0, 100).map(({ id }) => id);
  const { data, error } = useQuery({
    queryKey: ["counters", row.id, ids.join()],
    enabled: ids.length > 0,
    refetchInterval: row.entries <= OFTEN ? 5_000 : false,
    retry: false,
    queryFn: async ({ signal }) =>
      (
        await api.GET("/api/v1/tables/{id}/counters/", {
          params: { path: { id: String(row.id) }, query: { id__in: ids.join() } },
          signal,
        })
      ).data,
  });
  const counts: Counts = useMemo(() => new Map(data?.counters.map((one) => [one.id, one])), [data]);
  return { counts, at: data?.counted_at, problem: error ? asProblem(error).detail : null };
}

function columnsOf(network: Network, name: string, counts: Counts) {
  const ports = peersByPort(network, name);
  return [
    column.accessor("dz", {
      header: texts.match,
      meta: { help: "cell" },
      cell: ({ row: { original: entry } }) => (
        <div>
          <Code>{entry.dz === null ? entry.dst : entry.dz || text.wholeSpace}</Code>
          <Text size="xs" c="dimmed">
            {texts.meaning(
              entry.topic ?? texts.unknownTopic,
              entry.region && entry.region !== "true" ? entry.region : null,
              entry.in_port,
            )}
          </Text>
        </div>
      ),
    }),
    column.accessor("actions", {
      header: texts.outputs,
      cell: (cell) => (
        <Text size="xs">
          {outputTexts(network, name, ports, cell.getValue()).join(", ") || texts.noOutput}
        </Text>
      ),
    }),
    column.display({
      id: "packets",
      header: texts.packets,
      meta: { align: "right" },
      cell: ({ row: { original: entry } }) => {
        const packets = counts.get(entry.id)?.packets;
        return (
          <Text size="xs" title={packets?.toLocaleString()}>
            {packets === undefined || packets === null ? "–" : formatShort(packets)}
          </Text>
        );
      },
    }),
  ];
}
