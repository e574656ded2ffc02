// The charts: where their results come from, what they can show, and of which keys.

import type { Point, Read } from "./series";

export interface Measure {
  id: string;
  label: string;
  unit: string;
  read: Read;
  /** Beside each line, dashed: a budget, what was expected. */
  beside?: { label: string; read: Read };
}

export interface ChartSpec {
  id: string;
  job: string;
  path: string;
  title: string;
  what: string;
  keys: readonly string[];
  by: readonly { value: string; label: string }[];
  measures: readonly [Measure, ...Measure[]];
  /** Another picture beside the lines over time, which stands first. */
  picture?: "stages" | "space";
  /** Columns of the table behind it: all that was measured. */
  columns: Record<string, Read>;
}

const BY = [
  { value: "network", label: "Network-wide" },
  { value: "topic", label: "By topic" },
  { value: "host", label: "By host" },
  { value: "both", label: "By topic and host" },
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
    ["p50", "p95", "mean"].map((name) => [`${stage.replace("_ms", "")} ${name} ms`, of(stage, name)]),
  ),
);

export const CHARTS: readonly ChartSpec[] = [
  {
    id: "tables",
    job: "flow_table_size",
    path: "/api/v1/analytics/flow-table-size/",
    title: "Table size",
    what: "Entries of each switch; its TCAM budget is dashed.",
    keys: ["switch"],
    by: [],
    measures: [
      {
        id: "entries",
        label: "Entries",
        unit: "entries",
        read: plain("entries_max"),
        beside: { label: "budget", read: plain("budget") },
      },
      {
        id: "occupancy",
        label: "Part of the budget",
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
    title: "Delay",
    what: "From publisher to host, of first deliveries.",
    keys: ["topic", "host"],
    by: [BY[1], BY[2], BY[3], BY[0]] as ChartSpec["by"],
    measures: [
      { id: "p95", label: "95th percentile", unit: "ms", read: plain("p95_ms") },
      { id: "p50", label: "Median", unit: "ms", read: plain("p50_ms") },
      { id: "p99", label: "99th percentile", unit: "ms", read: plain("p99_ms") },
      { id: "max", label: "Largest", unit: "ms", read: plain("max_ms") },
    ],
    columns: columns("events", "p50_ms", "p95_ms", "p99_ms", "max_ms"),
  },
  {
    id: "unwanted",
    job: "false_positives",
    path: "/api/v1/analytics/false-positives/",
    title: "False positives",
    what: "Events that hosts got and had not asked for, of all that were delivered.",
    keys: ["topic", "host"],
    by: BY,
    measures: [
      { id: "rate", label: "Rate", unit: "%", read: plain("fpr") },
      { id: "unwanted", label: "Unwanted events", unit: "events", read: plain("unwanted") },
      { id: "lost", label: "Lost events", unit: "events", read: plain("lost") },
      { id: "doubled", label: "Doubled events", unit: "events", read: plain("doubled") },
    ],
    columns: columns("delivered", "unwanted", "fpr", "lost", "doubled"),
  },
  {
    id: "needless",
    job: "needless_copies",
    path: "/api/v1/analytics/needless-copies/",
    title: "Needless link copies",
    what: "Copies an event that merged entries send to where nobody wants them; what was expected is dashed.",
    keys: ["switch"],
    by: [],
    measures: [
      {
        id: "copies",
        label: "Copies an event",
        unit: "copies",
        read: plain("copies"),
        beside: { label: "expected", read: plain("expected") },
      },
      { id: "unwanted", label: "Unwanted deliveries an event", unit: "deliveries", read: plain("unwanted") },
    ],
    columns: columns("copies", "expected", "unwanted"),
  },
  {
    id: "load",
    job: "publisher_load",
    path: "/api/v1/analytics/publisher-load/",
    title: "Publisher load",
    what: "What each publisher sends, by the name of its advertisement.",
    keys: ["publisher"],
    by: [],
    picture: "space",
    measures: [
      { id: "rate", label: "Events a second", unit: "events/s", read: plain("events_per_s") },
      { id: "events", label: "Events", unit: "events", read: plain("events") },
    ],
    columns: columns("events", "events_per_s"),
  },
  {
    id: "requests",
    job: "request_latency",
    path: "/api/v1/analytics/request-latency/",
    title: "Request latency",
    what: "Of what requests wait for, from the call to the last confirmation.",
    keys: ["kind"],
    by: [],
    picture: "stages",
    measures: [
      { id: "p95", label: "All stages, 95th percentile", unit: "ms", read: of("processing_ms", "p95") },
      { id: "waiting", label: "Waiting, 95th percentile", unit: "ms", read: of("waiting_ms", "p95") },
      { id: "computing", label: "Computing, 95th percentile", unit: "ms", read: of("computing_ms", "p95") },
      { id: "deploying", label: "Deploying, 95th percentile", unit: "ms", read: of("deploying_ms", "p95") },
    ],
    columns: { ...columns("requests", "failed"), ...STAGE_COLUMNS },
  },
];

/** What a chart can show: pictures and measures, by what stands in the address. */
export function viewsOf(spec: ChartSpec): { value: string; label: string }[] {
  const lines = spec.measures.map(({ id, label }) => ({ value: id, label }));
  if (spec.picture === "stages") return [{ value: "stages", label: "Stages, by kind" }, ...lines];
  if (spec.picture === "space") return [...lines, { value: "space", label: "Where in the event space" }];
  return lines;
}
