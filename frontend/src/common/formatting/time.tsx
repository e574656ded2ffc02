import { Tooltip } from "@mantine/core";
import { text } from "./text";

const SHORT: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", second: "2-digit" };
const LONG: Intl.DateTimeFormatOptions = { ...SHORT, year: "numeric", month: "short", day: "numeric" };

/** Time in the user's time zone. A tooltip shows it in UTC, in milliseconds. */
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

/** Format a time in the user's time zone. The date is left out if it is today. */
export function formatLocal(date: Date, now = new Date()): string {
  return date.toLocaleString(undefined, date.toDateString() === now.toDateString() ? SHORT : LONG);
}

/** Format a time in UTC, in milliseconds. */
export function formatUtc(date: Date): string {
  return text.utc(date.toISOString().replace("T", " ").replace("Z", ""));
}

/** Format a duration in milliseconds in its largest unit: "7 s", "3 min", "2 h", "5 d". */
export function formatAge(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1_000));
  if (s < 120) return text.seconds(s);
  if (s < 7_200) return text.minutes(Math.round(s / 60));
  if (s < 172_800) return text.hours(Math.round(s / 3_600));
  return text.days(Math.round(s / 86_400));
}
