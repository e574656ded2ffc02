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
  /** Rows of before are still shown while those asked for are on their way. */
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
 * A page of a list of the API, and the ways to others. The page is kept in the address, under `name`. The last page is
 * read from the end (the list in reverse), so that it costs what the first does.
 *
 * `ordering` is the API's, with "-" for descending.
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

/** One page of a list. */
export async function readPage<Row>(path: string, query: Filters, signal?: AbortSignal): Promise<Page<Row>> {
  const given = Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== ""),
  );
  // biome-ignore lint/suspicious/noExplicitAny: the paths of lists differ in their types and not in their form
  const { data } = await api.GET(path as any, { params: { query: given }, signal } as any);
  return data as Page<Row>;
}

/** The same order from the other end. */
export function reverseOrdering(ordering: string): string {
  return ordering.startsWith("-") ? ordering.slice(1) : `-${ordering}`;
}

function cursorOf(url: string): string {
  return new URL(url, location.origin).searchParams.get("cursor") ?? "";
}
