import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useAddress } from "@/common/address";

interface Page<Row> {
  results: Row[];
  next: string | null;
  previous: string | null;
  count?: number | null;
}

export interface List<Row> {
  rows: Row[];
  total: number | undefined;
  loading: boolean;
  /** Whether the rows are those of the previous query, shown until the next response. */
  stale: boolean;
  error: unknown;
  refetch: () => void;
  first: (() => void) | null;
  previous: (() => void) | null;
  next: (() => void) | null;
  last: (() => void) | null;
}

export type Filters = Record<string, string | number | boolean | undefined | null>;

/**
 * Page of a list of the API, with functions that open other pages.
 *
 * The address contains the page, under `name`. The last page is the first page of the list in reverse order, so it costs
 * the same. `ordering` is that of the API, with "-" for descending.
 */
export function useList<Row>(
  path: string,
  filters: Filters,
  { name = "page", ordering = "-id", limit = 100, enabled = true } = {},
): List<Row> {
  const [at, setAt] = useAddress(name);
  const fromEnd = at.startsWith("~");
  const cursor = fromEnd ? at.slice(1) : at;
  const asked = {
    ...filters,
    ordering: fromEnd ? reverseOrdering(ordering) : ordering,
    limit,
    cursor: cursor || undefined,
  };
  const query = useQuery({
    queryKey: [path, "rows", asked],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readPage<Row>(path, asked, signal),
  });
  const total = useQuery({
    queryKey: [path, "count", filters],
    enabled,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) =>
      (await readPage<Row>(path, { ...filters, limit: 1, count: true }, signal)).count ?? undefined,
  });
  const page = query.data;
  const rows = page ? (fromEnd ? [...page.results].reverse() : page.results) : [];
  const [back, on] = fromEnd ? [page?.next, page?.previous] : [page?.previous, page?.next];
  const turn = (url: string | null | undefined) =>
    url ? () => setAt((fromEnd ? "~" : "") + cursorOf(url)) : null;
  return {
    rows,
    total: total.data,
    loading: query.isPending && enabled,
    stale: query.isPlaceholderData,
    error: query.error,
    refetch: () => void query.refetch(),
    first: back ? () => setAt(null) : null,
    previous: turn(back),
    next: turn(on),
    last: on ? () => setAt("~") : null,
  };
}

/** Read one page of a list. */
export async function readPage<Row>(path: string, query: Filters, signal?: AbortSignal): Promise<Page<Row>> {
  const given = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
  // biome-ignore lint/suspicious/noExplicitAny: all lists have the same form, but their paths have different types
  const { data } = await api.GET(path as any, { params: { query: given }, signal } as any);
  return data as Page<Row>;
}

/** Reverse an ordering. */
export function reverseOrdering(ordering: string): string {
  return ordering.startsWith("-") ? ordering.slice(1) : `-${ordering}`;
}

function cursorOf(url: string): string {
  return new URL(url, location.origin).searchParams.get("cursor") ?? "";
}
