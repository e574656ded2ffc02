// Conversion of series of the API to lines, bars and tables. Gaps stay gaps.

import { text } from "./text";

// biome-ignore lint/suspicious/noExplicitAny: points differ from chart to chart
export type Point = { at: string } & Record<string, any>;
// biome-ignore lint/suspicious/noExplicitAny: so do the keys of series
export type Series = { points: Point[] } & Record<string, any>;
export type Read = (point: Point) => number | null | undefined;

/** Maximum number of lines in a chart. The table shows all series. */
export const MOST_LINES = 8;

/** Return the name of a series by its keys: "quotes, h1"; "whole network" without keys. */
export function seriesName(series: Series, keys: readonly string[]): string {
  const named = keys.map((key) => series[key]).filter((value) => value !== null && value !== undefined);
  return named.length > 0 ? named.join(", ") : text.chart.wholeNetwork;
}

/** Return the series with the largest values, largest first, without series of nulls. */
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

/** Return the points of a line; a point between two gaps becomes a dot. */
export function line(points: readonly Point[], read: Read): Datum[] {
  const values = points.map((point) => read(point) ?? null);
  return points.map(({ at }, i) => {
    const alone = values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null;
    return { value: [at, values[i] ?? null], symbol: alone ? "circle" : "none" };
  });
}

/** Return the rows of the table behind a chart: each measured point of each series. */
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

/** Return the mean ms of each stage by kind, weighted by requests; frequent kinds first. */
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

/** Return the events of publishers by the first bits of their dz, with sorted prefixes. */
export function histogramOf(series: readonly Series[]): { prefixes: string[]; counts: number[][] } {
  const prefixes = [...new Set(series.flatMap((one) => Object.keys(one.dz_histogram ?? {})))].sort();
  return {
    prefixes,
    counts: series.map((one) => prefixes.map((prefix) => one.dz_histogram?.[prefix] ?? 0)),
  };
}

/** Format a number: no decimals from 100, at most two from 1, at most four below. */
export function formatMeasure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 1 ? 2 : 4;
  return value.toLocaleString(undefined, { maximumFractionDigits: digits });
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
