// The picture of an event space, as an option of ECharts.

import type { EChartsCoreOption } from "echarts/core";
import type { Schemas } from "@/api/client";

export type Space = Schemas["Space"];
type Axis = Space["x"];

/** What is drawn, from below; `color` is a place in the colours of charts. */
export const LAYERS = [
  { value: "advertisements", label: "Advertisements", color: 0 },
  { value: "subscriptions", label: "Subscriptions", color: 1 },
  { value: "advertisement-cells", label: "dz of advertisements", color: 5 },
  { value: "subscription-cells", label: "dz of subscriptions", color: 4 },
  { value: "events", label: "Recent events", color: 3 },
] as const;

export type Layer = (typeof LAYERS)[number]["value"];

interface Box {
  value: [left: number, right: number, bottom: number, top: number];
  name: string;
}

/** The option for the layers that are chosen. */
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
        name: `event of ${advertisement}`,
      })),
      tooltip: { formatter: ({ name: said }: { name: string }) => said },
      z: 4,
    };
  }
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

/** The boxes of filters, each with who announced it and what. */
export function filterBoxes(space: Space, kind: "advertisements" | "subscriptions"): Box[] {
  return space[kind].items.flatMap(({ boxes, name, owner, host, filter }) =>
    boxes.map((box) => ({
      value: box as Box["value"],
      name: wrapText(
        `${name} of ${owner} at ${host}\n${filter === null ? "by dz" : filter || "every event"}`,
      ),
    })),
  );
}

function cellBoxes(space: Space, layerOf: Layer): Box[] {
  const cells = layerOf === "advertisement-cells" ? space.advertisement_cells : space.subscription_cells;
  return cells.items.map(({ box, cells: n }) => ({
    value: box as Box["value"],
    name: n === 1 ? "1 dz cell" : `${n} dz cells`,
  }));
}

/** What ECharts hands to a custom series. */
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

/** A colour of six hex digits with an opacity. */
export function alpha(color: string, opacity: number): string {
  return `${color}${Math.round(opacity * 255)
    .toString(16)
    .padStart(2, "0")}`;
}

/** A label of at most 16 characters, each of them whole. */
export function shorten(text: string): string {
  const characters = [...text];
  return characters.length > 16 ? `${characters.slice(0, 15).join("")}…` : text;
}

/** A text in lines of a bounded length: the canvas breaks none by itself. */
export function wrapText(text: string, width = 60, most = 8): string {
  const parts = text
    .split("\n")
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}(\\s|$)|.{1,${width}}`, "gu")) ?? [""]);
  return parts.length > most ? [...parts.slice(0, most), "…"].join("\n") : parts.join("\n");
}
