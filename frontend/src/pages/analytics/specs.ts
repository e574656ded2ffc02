// Charts of the results: source, measures, keys and table columns.

import type { Term } from "@/common/documentation/HelpIcon";
import type { Point, Read } from "./series";
import { text } from "./text";

export interface Measure {
  id: string;
  label: string;
  unit: string;
  read: Read;
  /** Second value of each line, dashed: the budget or the expected value. */
  beside?: { label: string; read: Read };
}

export interface ChartSpec {
  id: string;
  job: string;
  path: string;
  title: string;
  description: string;
  /** Term that the help icon of the title explains. */
  term?: Term;
  keys: readonly string[];
  by: readonly { value: string; label: string }[];
  measures: readonly [Measure, ...Measure[]];
  /** Additional chart next to the lines over time; "stages" is the default view of its card. */
  picture?: "stages" | "space";
  /** Columns of the table behind the chart: all measures. */
  columns: Record<string, Read>;
}

const BY = [
  { value: "network", label: text.groupings.network },
  { value: "topic", label: text.groupings.topic },
  { value: "host", label: text.groupings.host },
  { value: "both", label: text.groupings.both },
];
const plain = (name: string): Read => {
  return (point: Point) => point[name];
};
const of = (stage: string, name: string): Read => {
  return (point: Point) => point[stage]?.[name];
};
const columns = (...names: string[]) => Object.fromEntries(names.map((name) => [name, plain(name)]));
const STAGES = ["waiting_ms", "computing_ms", "deploying_ms", "processing_ms"];
const STAGE_COLUMNS = Object.fromEntries(
  STAGES.flatMap((stage) =>
    ["p50", "p95", "mean"].map((name) => [stage.replace("ms", name), of(stage, name)]),
  ),
);

export const CHARTS: readonly ChartSpec[] = [
  {
    id: "tables",
    job: "flow_table_size",
    path: "/api/v1/analytics/flow-table-size/",
    title: text.charts.tables.title,
    description: text.charts.tables.description,
    term: "budget",
    keys: ["switch"],
    by: [],
    measures: [
      {
        id: "entries",
        label: text.charts.tables.entries,
        unit: text.units.entries,
        read: plain("entries_max"),
        beside: { label: text.charts.tables.budget, read: plain("budget") },
      },
      {
        id: "occupancy",
        label: text.charts.tables.occupancy,
        unit: "%",
        read: (point) => (typeof point.occupancy_max === "number" ? 100 * point.occupancy_max : null),
      },
    ],
    columns: columns("entries_min", "entries_avg", "entries_max", "budget", "occupancy_max"),
  },
  {
    id: "delay",
    job: "delay",
    path: "/api/v1/analytics/delay/",
    title: text.charts.delay.title,
    description: text.charts.delay.description,
    term: "delivered",
    keys: ["topic", "host"],
    by: [BY[1], BY[2], BY[3], BY[0]] as ChartSpec["by"],
    measures: [
      { id: "p95", label: text.charts.delay.p95, unit: "ms", read: plain("p95_ms") },
      { id: "p50", label: text.charts.delay.p50, unit: "ms", read: plain("p50_ms") },
      { id: "p99", label: text.charts.delay.p99, unit: "ms", read: plain("p99_ms") },
      { id: "max", label: text.charts.delay.max, unit: "ms", read: plain("max_ms") },
    ],
    columns: columns("events", "p50_ms", "p95_ms", "p99_ms", "max_ms"),
  },
  {
    id: "unwanted",
    job: "false_positives",
    path: "/api/v1/analytics/false-positives/",
    title: text.charts.falsePositives.title,
    description: text.charts.falsePositives.description,
    term: "falsePositive",
    keys: ["topic", "host"],
    by: BY,
    measures: [
      { id: "rate", label: text.charts.falsePositives.rate, unit: "%", read: plain("fpr") },
      {
        id: "unwanted",
        label: text.charts.falsePositives.count,
        unit: text.units.events,
        read: plain("unwanted"),
      },
      { id: "lost", label: text.charts.falsePositives.lost, unit: text.units.events, read: plain("lost") },
      {
        id: "doubled",
        label: text.charts.falsePositives.duplicates,
        unit: text.units.events,
        read: plain("doubled"),
      },
    ],
    columns: columns("delivered", "unwanted", "fpr", "lost", "doubled"),
  },
  {
    id: "needless",
    job: "needless_copies",
    path: "/api/v1/analytics/needless-copies/",
    title: text.charts.redundantCopies.title,
    description: text.charts.redundantCopies.description,
    term: "redundantCopy",
    keys: ["switch"],
    by: [],
    measures: [
      {
        id: "copies",
        label: text.charts.redundantCopies.copies,
        unit: text.units.copies,
        read: plain("copies"),
        beside: { label: text.charts.redundantCopies.expected, read: plain("expected") },
      },
      {
        id: "unwanted",
        label: text.charts.redundantCopies.falsePositives,
        unit: text.units.deliveries,
        read: plain("unwanted"),
      },
    ],
    columns: { ...columns("copies", "expected"), unwanted_per_event: plain("unwanted") },
  },
  {
    id: "load",
    job: "publisher_load",
    path: "/api/v1/analytics/publisher-load/",
    title: text.charts.load.title,
    description: text.charts.load.description,
    keys: ["publisher"],
    by: [],
    picture: "space",
    measures: [
      { id: "rate", label: text.charts.load.rate, unit: "events/s", read: plain("events_per_s") },
      { id: "events", label: text.charts.load.events, unit: text.units.events, read: plain("events") },
    ],
    columns: columns("events", "events_per_s"),
  },
  {
    id: "requests",
    job: "request_latency",
    path: "/api/v1/analytics/request-latency/",
    title: text.charts.requests.title,
    description: text.charts.requests.description,
    keys: ["kind"],
    by: [],
    picture: "stages",
    measures: [
      { id: "p95", label: text.charts.requests.all, unit: "ms", read: of("processing_ms", "p95") },
      { id: "waiting", label: text.charts.requests.waiting, unit: "ms", read: of("waiting_ms", "p95") },
      { id: "computing", label: text.charts.requests.computing, unit: "ms", read: of("computing_ms", "p95") },
      { id: "deploying", label: text.charts.requests.deploying, unit: "ms", read: of("deploying_ms", "p95") },
    ],
    columns: { ...columns("requests", "failed"), ...STAGE_COLUMNS },
  },
];

/** Return the views of a chart: its measures and its additional chart. */
export function viewsOf(spec: ChartSpec): { value: string; label: string }[] {
  const lines = spec.measures.map(({ id, label }) => ({ value: id, label }));
  if (spec.picture === "stages") return [{ value: "stages", label: text.charts.requests.stages }, ...lines];
  if (spec.picture === "space") return [...lines, { value: "space", label: text.charts.load.space }];
  return lines;
}
