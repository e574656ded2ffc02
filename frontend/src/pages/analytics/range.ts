// The time that charts are about, as their address has it: a span up to now, or two fixed times.

export const SPANS = [
  { value: "1h", label: "Last hour", hours: 1 },
  { value: "6h", label: "Last 6 hours", hours: 6 },
  { value: "24h", label: "Last 24 hours", hours: 24 },
  { value: "7d", label: "Last 7 days", hours: 168 },
  { value: "30d", label: "Last 30 days", hours: 720 },
] as const;

export const DEFAULT_SPAN = "1h";

export interface Range {
  since: string;
  until?: string;
}

/** From a span's name, or else from two times; `now` in ms since 1970. An unknown span is the default one. */
export function rangeOf(span: string, since: string, until: string, now: number): Range {
  if (span === "fixed" && !Number.isNaN(Date.parse(since))) {
    return Number.isNaN(Date.parse(until)) ? { since } : { since, until };
  }
  const found = SPANS.find(({ value }) => value === span) ?? SPANS[0];
  return { since: new Date(now - found.hours * 3_600_000).toISOString() };
}

/** What is wrong with two times as they are typed; null where nothing is. */
export function rangeProblem(since: string, until: string): string | null {
  if (!since || Number.isNaN(Date.parse(since))) return "Say from when on: a day and a time.";
  if (until && Date.parse(until) <= Date.parse(since)) return "The end has to be later than the beginning.";
  return null;
}

/** A time as an input of type datetime-local has it, in the reader's zone; empty for none. */
export function toInput(iso: string): string {
  if (!iso || Number.isNaN(Date.parse(iso))) return "";
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The other way round. */
export function fromInput(text: string): string {
  const date = new Date(text);
  return text && !Number.isNaN(date.getTime()) ? date.toISOString() : "";
}
