// Time range of the charts in the address: a span that ends now, or two fixed times.

import { text } from "./text";

export const SPANS = [
  { value: "1h", label: text.time.hour, hours: 1 },
  { value: "6h", label: text.time.sixHours, hours: 6 },
  { value: "24h", label: text.time.day, hours: 24 },
  { value: "7d", label: text.time.week, hours: 168 },
  { value: "30d", label: text.time.month, hours: 720 },
] as const;

export const DEFAULT_SPAN = "1h";

export interface Range {
  since: string;
  until?: string;
}

/** Return the range of a span, or of two times for "fixed"; `now` in ms since 1970. */
export function rangeOf(span: string, since: string, until: string, now: number): Range {
  if (span === "fixed" && !Number.isNaN(Date.parse(since))) {
    return Number.isNaN(Date.parse(until)) ? { since } : { since, until };
  }
  const found = SPANS.find(({ value }) => value === span) ?? SPANS[0];
  return { since: new Date(now - found.hours * 3_600_000).toISOString() };
}

/** Return the problem of two entered times, or null. */
export function rangeProblem(since: string, until: string): string | null {
  if (!since || Number.isNaN(Date.parse(since))) return text.time.noStart;
  if (until && Date.parse(until) <= Date.parse(since)) return text.time.wrongEnd;
  return null;
}

/** Convert a time to a datetime-local value in the user's time zone; empty for none. */
export function toInput(iso: string): string {
  if (!iso || Number.isNaN(Date.parse(iso))) return "";
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Convert a datetime-local value to a time; empty for none. */
export function fromInput(value: string): string {
  const date = new Date(value);
  return value && !Number.isNaN(date.getTime()) ? date.toISOString() : "";
}
