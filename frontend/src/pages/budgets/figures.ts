// Methods, formats of figures, and the order of switches.

import type { Schemas } from "@/api/client";

export type Switch = Schemas["Switch"];

export const METHODS = ["la", "fa-lb", "fa-pb", "optimal"] as const;
export const RUNNING = ["fa-lb", "fa-pb", "optimal"] as const;
export type Method = (typeof METHODS)[number];
export type RunningMethod = (typeof RUNNING)[number];

/** Maximum number of content entries: the smaller of budget and capacity; null without a limit. */
export function limit({ tcam_budget, capacity }: Pick<Switch, "tcam_budget" | "capacity">): number | null {
  if (tcam_budget === null) return capacity;
  return capacity === null ? tcam_budget : Math.min(tcam_budget, capacity);
}

/** Entries as a share of the limit; null without a limit. With a limit of 0, the share of any entries is 1. */
export function load(row: Pick<Switch, "tcam_budget" | "capacity" | "entries">): number | null {
  const most = limit(row);
  if (most === null) return null;
  return most === 0 ? (row.entries > 0 ? 1 : 0) : row.entries / most;
}

export const formatCount = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : n.toLocaleString();

/** Copies per event with three significant digits and at most three decimals. */
export function formatCopies(n: number | null | undefined): string {
  if (n === null || n === undefined) return "–";
  if (n === 0) return "0";
  if (Math.abs(n) < 0.0005) return "<0.001";
  return n.toLocaleString(undefined, { maximumSignificantDigits: 3, maximumFractionDigits: 3 });
}

/** A relative change, such as "−25 %" or "+3 %"; empty if a value is missing or `before` is 0. */
export function formatChange(before: number | null | undefined, after: number | null | undefined): string {
  if (before === null || before === undefined || after === null || after === undefined || before === 0)
    return "";
  const share = Math.round((after / before - 1) * 100);
  return share === 0 ? "±0 %" : `${share > 0 ? "+" : "−"}${Math.abs(share)} %`;
}

/** Parse a typed budget: a whole number from 0 to 10,000,000, or null. */
export function readBudget(text: string | number): number | null {
  const trimmed = String(text).trim();
  return /^\d{1,8}$/.test(trimmed) && Number(trimmed) <= 10_000_000 ? Number(trimmed) : null;
}

export type Order = "name" | "budget" | "exact" | "entries" | "load" | "needless";

const VALUE: Record<Exclude<Order, "name" | "needless">, (row: Switch) => number> = {
  budget: (row) => limit(row) ?? Number.POSITIVE_INFINITY,
  exact: (row) => row.exact_entries,
  entries: (row) => row.entries,
  load: (row) => load(row) ?? -1,
};

/**
 * Sort switches; "-" before the field means descending ("-load": the fullest table first). Equal switches are sorted by
 * name. `needless` contains the redundant copies per event by name of the switch.
 */
export function sortSwitches(
  rows: readonly Switch[],
  ordering: string,
  needless: ReadonlyMap<string, number | null>,
): Switch[] {
  const down = ordering.startsWith("-");
  const by = (down ? ordering.slice(1) : ordering) as Order;
  const value =
    by === "needless" ? (row: Switch) => needless.get(row.name) ?? -1 : by === "name" ? null : VALUE[by];
  const byName = (a: Switch, b: Switch) => a.name.localeCompare(b.name, undefined, { numeric: true });
  return [...rows].sort((a, b) => {
    const [one, two] = value ? [value(a), value(b)] : [0, 0];
    const difference = one === two ? 0 : one - two;
    if (difference !== 0) return down ? -difference : difference;
    return !value && down ? byName(b, a) : byName(a, b);
  });
}
