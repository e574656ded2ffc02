// From series of the API to lines, bars and tables. Gaps stay gaps.

// biome-ignore lint/suspicious/noExplicitAny: points differ from chart to chart
export type Point = { at: string } & Record<string, any>;
// biome-ignore lint/suspicious/noExplicitAny: so do the keys of series
export type Series = { points: Point[] } & Record<string, any>;
export type Read = (point: Point) => number | null | undefined;

/** At most so many lines are drawn; the table has all. */
export const MOST_LINES = 8;

/** What a series is of, by its keys: "quotes, h1"; where all are put together, "whole network". */
export function seriesName(series: Series, keys: readonly string[]): string {
  const named = keys.map((key) => series[key]).filter((value) => value !== null && value !== undefined);
  return named.length > 0 ? named.join(", ") : "whole network";
}

/** The series with the largest values, the largest first, and how many there are. */
export function largest(series: readonly Series[], read: Read, most = MOST_LINES): Series[] {
  const peak = (one: Series) => one.points.reduce((best, point) => Math.max(best, read(point) ?? -1), -1);
  return [...series]
    .map((one) => ({ one, top: peak(one) }))
    .filter(({ top }) => top >= 0)
    .sort((a, b) => b.top - a.top)
    .slice(0, most)
    .map(({ one }) => one);
}

export interface Datum {
  value: [string, number | null];
  symbol: "circle" | "none";
}

/** Points of a line. One between two gaps would be no line, and is drawn as a dot. */
export function line(points: readonly Point[], read: Read): Datum[] {
  const values = points.map((point) => read(point) ?? null);
  return points.map(({ at }, i) => {
    const alone = values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;
    return { value: [at, values[i] ?? null], symbol: alone ? "circle" : "none" };
  });
}

/** Rows of the table behind a chart: each point of each series that was measured. */
export function rowsOf(series: readonly Series[], reads: Record<string, Read>): Record<string, unknown>[] {
  return series.flatMap(({ points, ...keys }) =>
    points
      .map((point) => ({
        ...keys,
        at: point.at,
        ...Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, read(point) ?? null])),
      }))
      .filter((row) => Object.keys(reads).some((name) => (row as Record<string, unknown>)[name] !== null)),
  );
}

export interface Stages {
  name: string;
  requests: number;
  failed: number;
  waiting: number;
  computing: number;
  deploying: number;
}

/** Mean milliseconds of each stage over the whole time, by kind, weighed by requests; the most frequent first. */
export function stagesOf(series: readonly Series[]): Stages[] {
  return series
    .map((one) => {
      const measured = one.points.filter((point) => (point.requests ?? 0) > 0);
      const requests = sum(measured, (point) => point.requests);
      const mean = (stage: string) => {
        const known = measured.filter((point) => typeof point[stage]?.mean === "number");
        const weight = sum(known, (point) => point.requests);
        return weight > 0 ? sum(known, (point) => point[stage].mean * point.requests) / weight : 0;
      };
      return {
        name: String(one.kind),
        requests,
        failed: sum(measured, (point) => point.failed ?? 0),
        waiting: mean("waiting_ms"),
        computing: mean("computing_ms"),
        deploying: mean("deploying_ms"),
      };
    })
    .filter(({ requests }) => requests > 0)
    .sort((a, b) => b.requests - a.requests);
}

/** Events by the first bits of their dz, over some publishers; the prefixes in order. */
export function histogramOf(series: readonly Series[]): { prefixes: string[]; counts: number[][] } {
  const prefixes = [...new Set(series.flatMap((one) => Object.keys(one.dz_histogram ?? {})))].sort();
  return {
    prefixes,
    counts: series.map((one) => prefixes.map((prefix) => one.dz_histogram?.[prefix] ?? 0)),
  };
}

/** A number as people read it. */
export function formatMeasure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
