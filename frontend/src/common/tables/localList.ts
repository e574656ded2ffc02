import type { List } from "./list";

/** Rows that are all there already, as a list that a `DataTable` shows: one page. */
export function localList<Row>(
  rows: Row[],
  { loading = false, error = null as unknown, refetch = () => {} } = {},
): List<Row> {
  return {
    rows,
    total: rows.length,
    loading,
    stale: false,
    error,
    refetch,
    first: null,
    previous: null,
    next: null,
    last: null,
  };
}
