// Options of ECharts for the charts of analytics.

import type { EChartsCoreOption } from "echarts/core";
import {
  formatMeasure,
  histogramOf,
  largest,
  line,
  MOST_LINES,
  type Series,
  seriesName,
  stagesOf,
} from "./series";
import type { ChartSpec, Measure } from "./specs";
import { text } from "./text";

const LEGEND = { type: "scroll", top: 0, left: 0, right: 0, icon: "roundRect", itemWidth: 12, itemHeight: 8 };
const GRID = { left: 8, right: 16, top: 34, bottom: 8, containLabel: true };

/** Return lines over time. The second value of a measure is a dashed line of the same color. */
export function lineOption(
  spec: ChartSpec,
  measure: Measure,
  series: readonly Series[],
  colors: readonly string[],
): EChartsCoreOption {
  const drawn = largest(series, measure.read);
  return {
    legend: { ...LEGEND, data: drawn.map((one) => seriesName(one, spec.keys)) },
    grid: GRID,
    tooltip: { trigger: "axis", valueFormatter: (value: number | null) => withUnit(value, measure.unit) },
    xAxis: { type: "time" },
    yAxis: {
      type: "value",
      min: 0,
      axisLabel: { formatter: (value: number) => onAxis(value, measure.unit) },
    },
    series: drawn.flatMap((one, i) => {
      const common = {
        type: "line",
        colorBy: "series",
        showSymbol: true,
        symbolSize: 5,
        connectNulls: false,
      };
      const color = { itemStyle: { color: colors[i % colors.length] } };
      const own = {
        ...common,
        ...color,
        name: seriesName(one, spec.keys),
        data: line(one.points, measure.read),
      };
      if (!measure.beside) return [own];
      const beside = line(one.points, measure.beside.read);
      if (beside.every(({ value }) => value[1] === null)) return [own];
      const name = text.chart.besides(seriesName(one, spec.keys), measure.beside.label);
      return [
        own,
        {
          ...common,
          ...color,
          name,
          data: beside,
          lineStyle: { type: "dashed", width: 1, color: colors[i % colors.length] },
        },
      ];
    }),
  };
}

/** Return stacked mean times of stages, one bar per request kind. */
export function stageOption(series: readonly Series[]): EChartsCoreOption {
  const found = stagesOf(series).slice(0, MOST_LINES).reverse();
  const parts = ["waiting", "computing", "deploying"] as const;
  return {
    legend: LEGEND,
    grid: { ...GRID, right: 28 },
    tooltip: { trigger: "axis", valueFormatter: (value: number | null) => withUnit(value, "ms") },
    xAxis: { type: "value", axisLabel: { formatter: (value: number) => onAxis(value, "ms") } },
    yAxis: { type: "category", data: found.map(({ name }) => name) },
    series: parts.map((part) => ({
      type: "bar",
      name: text.chart.stages[part],
      stack: "stages",
      barMaxWidth: 22,
      data: found.map((one) => one[part]),
    })),
  };
}

/** Return the events of publishers by the first bits of their dz. */
export function spaceOption(series: readonly Series[]): EChartsCoreOption {
  const drawn = largest(series, (point) => point.events);
  const { prefixes, counts } = histogramOf(drawn);
  return {
    legend: LEGEND,
    grid: GRID,
    tooltip: { trigger: "axis" },
    xAxis: { type: "category", data: prefixes, name: text.chart.dz, axisLabel: { hideOverlap: true } },
    yAxis: { type: "value" },
    series: drawn.map((one, i) => ({
      type: "bar",
      name: seriesName(one, ["publisher"]),
      stack: "space",
      data: counts[i],
    })),
  };
}

/** Return the weights of attributes. Selected attributes are filled. */
export function rankingOption(
  weights: readonly { attribute: string; weight: number; selected: boolean }[],
  colors: readonly string[],
): EChartsCoreOption {
  const order = [...weights].reverse();
  return {
    grid: { ...GRID, top: 8 },
    tooltip: { trigger: "axis", valueFormatter: (value: number | null) => formatMeasure(value) },
    xAxis: { type: "value" },
    yAxis: { type: "category", data: order.map(({ attribute }) => attribute) },
    series: [
      {
        type: "bar",
        barMaxWidth: 22,
        data: order.map(({ weight, selected }) => ({
          value: weight,
          itemStyle: { color: selected ? colors[0] : colors[7], opacity: selected ? 1 : 0.55 },
        })),
      },
    ],
  };
}

function onAxis(value: number, unit: string): string {
  return `${value.toLocaleString()}${text.chart.onAxis[unit] ?? ""}`;
}

function withUnit(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? "–" : text.chart.withUnit(formatMeasure(value), unit);
}
