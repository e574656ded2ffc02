// Figures of this page in words: entries, shares, copies an event; and rows in order.

import type { Schemas } from "@/api/client";

export type Switch = Schemas["Switch"];

export const METHODS = ["la", "fa-lb", "fa-pb", "optimal"] as const;
export const RUNNING = ["fa-lb", "fa-pb", "optimal"] as const;
export type Method = (typeof METHODS)[number];
export type RunningMethod = (typeof RUNNING)[number];

export const ABOUT: Record<string, string> = {
  none: "Nothing is merged; a request that a budget cannot hold is refused.",
  la: "Merges at once, request by request, where a table is full; looks at no past events.",
  "fa-lb": "Merges the entries that bring the fewest events of publishers, by their loads; in runs.",
  "fa-pb": "Merges by past events one by one, in runs; costs fewer needless copies than fa-lb.",
  optimal: "Looks at past events and at other switches, and keeps exceptions; costs least, takes longest.",
};

/** How many entries a switch may hold: the smaller of budget and capacity; null for any number. */
export function limit({ tcam_budget, capacity }: Pick<Switch, "tcam_budget" | "capacity">): number | null {
  if (tcam_budget === null) return capacity;
  return capacity === null ? tcam_budget : Math.min(tcam_budget, capacity);
}

/** Entries as a share of what the table may hold; null without a limit. 1 for entries where none may be. */
export function load(row: Pick<Switch, "tcam_budget" | "capacity" | "entries">): number | null {
  const most = limit(row);
  if (most === null) return null;
  return most === 0 ? (row.entries > 0 ? 1 : 0) : row.entries / most;
}

export const formatCount = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : n.toLocaleString();

/** Copies an event: three digits that count, never more than four after the point. */
export function formatCopies(n: number | null | undefined): string {
  if (n === null || n === undefined) return "–";
  if (n === 0) return "0";
  if (Math.abs(n) < 0.0005) return "<0.001";
  return n.toLocaleString(undefined, { maximumSignificantDigits: 3, maximumFractionDigits: 3 });
}

/** "−25 %", "+3 %"; empty where there is nothing to compare with. */
export function formatChange(before: number | null | undefined, after: number | null | undefined): string {
  if (before === null || before === undefined || after === null || after === undefined || before === 0)
    return "";
  const share = Math.round((after / before - 1) * 100);
  return share === 0 ? "±0 %" : `${share > 0 ? "+" : "−"}${Math.abs(share)} %`;
}

/** A budget as it is typed: a number from 0 on; null where there is none in the text. */
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

/** Switches in an order ("-load": the fullest first), those that are equal by name; `needless` by name. */
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
