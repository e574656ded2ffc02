import type { List } from "./list";

/** List with one page for rows that are already loaded. */
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
