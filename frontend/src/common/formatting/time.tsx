import { Tooltip } from "@mantine/core";

const SHORT: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const LONG: Intl.DateTimeFormatOptions = { ...SHORT, year: "numeric", month: "short", day: "numeric" };

/** A time in the reader's zone; UTC to the millisecond on hover and focus. */
export function Time({ at, empty = "–" }: { at: string | null | undefined; empty?: string }) {
  if (!at) return <>{empty}</>;
  const date = new Date(at);
  return (
    <Tooltip label={formatUtc(date)}>
      <time dateTime={date.toISOString()} style={{ whiteSpace: "nowrap" }}>
        {formatLocal(date)}
      </time>
    </Tooltip>
  );
}

/** In the reader's zone; the day is left out when it is today. */
export function formatLocal(date: Date, now = new Date()): string {
  return date.toLocaleString(undefined, date.toDateString() === now.toDateString() ? SHORT : LONG);
}

/** In UTC, to the millisecond. */
export function formatUtc(date: Date): string {
  return `${date.toISOString().replace("T", " ").replace("Z", "")} UTC`;
}

/** A span of milliseconds in its largest unit: "7 s", "3 min", "2 h", "5 d". */
export function formatAge(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < 120) return `${s} s`;
  if (s < 7_200) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3_600)} h`;
  return `${Math.round(s / 86_400)} d`;
}
