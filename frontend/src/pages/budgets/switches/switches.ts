// All switches of the network, updated by the live stream.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type Filters, readPage } from "@/common/tables/list";
import { useLiveEvents, useLiveRefresh } from "@/live/LiveProvider";
import type { Switch } from "../figures";

const KEY = ["/api/v1/switches/", "all"];
const PAGE = 1_000;

/** All switches. `tables` events update their entries; a change of a request or switch reads them again. */
export function useSwitches() {
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => readAll<Switch>("/api/v1/switches/", {}, signal),
  });
  useLiveEvents(["tables"], (events) => {
    const entries: Record<string, number> = Object.assign({}, ...events.map(({ payload }) => payload));
    queries.setQueryData<Switch[]>(KEY, (rows) =>
      rows?.map((row) => {
        const now = entries[row.name];
        return now === undefined ? row : { ...row, entries: now };
      }),
    );
  });
  useLiveRefresh(["request", "requests", "switch"], KEY);
  return found;
}

/** All rows of a list, page after page. */
export async function readAll<Row>(path: string, filters: Filters, signal?: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage<Row>(path, { ...filters, limit: PAGE, cursor }, signal);
    rows.push(...page.results);
    cursor = page.next
      ? (new URL(page.next, location.origin).searchParams.get("cursor") ?? undefined)
      : undefined;
  } while (cursor);
  return rows;
}
