// Chart of an event space, as an option of ECharts.

import type { EChartsCoreOption } from "echarts/core";
import type { Schemas } from "@/api/client";
import { text } from "./text";

export type Space = Schemas["Space"];
type Axis = Space["x"];

/** Layers of the chart from bottom to top; `color` is an index into the colors of charts. */
export const LAYERS = [
  { value: "advertisements", label: text.space.layerNames.advertisements, color: 0 },
  { value: "subscriptions", label: text.space.layerNames.subscriptions, color: 1 },
  { value: "advertisement-cells", label: text.space.layerNames["advertisement-cells"], color: 5 },
  { value: "subscription-cells", label: text.space.layerNames["subscription-cells"], color: 4 },
  { value: "cuts", label: text.space.layerNames.cuts, color: 2 },
  { value: "events", label: text.space.layerNames.events, color: 3 },
] as const;

export type Layer = (typeof LAYERS)[number]["value"];

interface Box {
  value: [left: number, right: number, bottom: number, top: number];
  name: string;
}

/** Return the chart option for the selected layers. */
export function topicSpaceOption(
  space: Space,
  layers: readonly string[],
  colors: readonly string[],
): EChartsCoreOption {
  const chosen = LAYERS.filter(({ value }) => layers.includes(value));
  return {
    aria: { enabled: false },
    grid: { left: 12, right: 24, top: 30, bottom: 34, containLabel: true },
    tooltip: { trigger: "item" },
    dataZoom: [
      { type: "inside", xAxisIndex: 0, filterMode: "none" },
      { type: "inside", yAxisIndex: 0, filterMode: "none" },
    ],
    xAxis: { ...axisOption(space.x), nameLocation: "middle", nameGap: 30 },
    yAxis: space.y ? axisOption(space.y) : { type: "value", min: 0, max: 1, show: false },
    series: chosen.map(({ value, label, color }) => layer(space, value, label, colors[color] ?? "")),
  };
}

function axisOption({ attribute, kind, low, high, ticks }: Axis) {
  const base = { type: "value", name: attribute, min: low, max: high, splitLine: { show: false } };
  if (kind === "number") return { ...base, axisLabel: { hideOverlap: true, showMaxLabel: false } };
  const labels = new Map(ticks.map(({ at, label }) => [at, label]));
  const at = [...labels.keys()];
  return {
    ...base,
    axisTick: { customValues: at },
    axisLabel: {
      customValues: at,
      formatter: (place: number) => shorten(labels.get(place) ?? ""),
      hideOverlap: true,
    },
  };
}

function layer(space: Space, value: Layer, name: string, color: string) {
  if (value === "events") {
    return {
      type: "scatter",
      name,
      symbolSize: 5,
      itemStyle: { color, opacity: 0.75 },
      data: space.events.items.map(({ x, y, advertisement }) => ({
        value: [x, y],
        name: text.space.event(advertisement),
      })),
      tooltip: { formatter: ({ name: said }: { name: string }) => said },
      z: 4,
    };
  }
  if (value === "cuts") return cutLines(space, name, color);
  const cells = value.endsWith("-cells");
  return {
    type: "custom",
    name,
    clip: true,
    encode: { x: [0, 1], y: [2, 3] },
    data: cells ? cellBoxes(space, value) : filterBoxes(space, value as "advertisements" | "subscriptions"),
    itemStyle: { color },
    renderItem: cells ? drawn(color, { fill: 0.08, dash: [3, 3] }) : drawn(color, { fill: 0.05 }),
    tooltip: { formatter: ({ name: said }: { name: string }) => said },
    z: cells ? 2 : 3,
  };
}

/** Return the series of cuts: boxes without width or height, which are drawn as lines. */
function cutLines(space: Space, name: string, color: string) {
  return {
    type: "custom",
    name,
    clip: true,
    encode: { x: [0, 1], y: [2, 3] },
    data: space.cuts.items.map(({ attribute, value, box }) => ({
      value: box as Box["value"],
      name: text.space.cut(attribute, JSON.stringify(value)),
    })),
    itemStyle: { color },
    renderItem: drawn(color, { fill: 1 }),
    tooltip: { formatter: ({ name: said }: { name: string }) => said },
    z: 3,
  };
}

/** Return the boxes of filters, each with the description of its announcement. */
export function filterBoxes(space: Space, kind: "advertisements" | "subscriptions"): Box[] {
  return space[kind].items.flatMap(({ boxes, name, owner, host, filter }) =>
    boxes.map((box) => ({
      value: box as Box["value"],
      name: wrapText(text.space.announcement(name, owner, host, describeFilter(filter))),
    })),
  );
}

/** Return a filter, or the words for none (dz only) and for an empty one. */
export function describeFilter(filter: string | null): string {
  return filter === null ? text.space.withoutFilter : filter || text.space.everyEvent;
}

function cellBoxes(space: Space, layerOf: Layer): Box[] {
  const cells = layerOf === "advertisement-cells" ? space.advertisement_cells : space.subscription_cells;
  return cells.items.map(({ box, cells: n }) => ({
    value: box as Box["value"],
    name: text.space.cells(n),
  }));
}

/** Functions that ECharts passes to a custom series. */
interface Drawing {
  value: (dimension: number) => number;
  coord: (point: [number, number]) => [number, number];
}

const drawn =
  (color: string, { fill, dash }: { fill: number; dash?: number[] }) =>
  (_: unknown, series: Drawing) => {
    const [left, top] = series.coord([series.value(0), series.value(3)]);
    const [right, bottom] = series.coord([series.value(1), series.value(2)]);
    const shape = {
      x: left,
      y: top,
      width: Math.max(1.5, right - left),
      height: Math.max(1.5, bottom - top),
    };
    return {
      type: "rect",
      shape,
      style: { fill: alpha(color, fill), stroke: color, lineWidth: dash ? 0.75 : 1.5, lineDash: dash },
    };
  };

/** Return a color of six hexadecimal digits with an opacity from 0 to 1. */
export function alpha(color: string, opacity: number): string {
  return `${color}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, "0")}`;
}

/** Shorten a label to 16 characters without cutting a character. */
export function shorten(label: string): string {
  const characters = [...label];
  return characters.length > 16 ? `${characters.slice(0, 15).join("")}…` : label;
}

/** Wrap a text into at most `most` lines of `width` characters; the canvas does not wrap. */
export function wrapText(label: string, width = 60, most = 8): string {
  const parts = label
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}(\\s|$)|.{1,${width}}`, "gu")) ?? [""]);
  return parts.length > most ? [...parts.slice(0, most), "…"].join("\n") : parts.join("\n");
}
