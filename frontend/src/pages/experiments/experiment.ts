// Experiments as the API returns them, and what the page derives from them.

import type { EChartsCoreOption } from "echarts/core";
import type { components } from "@/api/schema.gen";
import { CHART_COLORS } from "@/common/charts/chartColors";

export type Summary = components["schemas"]["ExperimentSummary"];
export type Experiment = components["schemas"]["Experiment"];
export type Panel = Experiment["panels"][number];
export type Verdict = Summary["verdict"];

const COLORS: Partial<Record<Verdict, string>> = { holds: "green", differs: "red", undecided: "orange" };

/** Return the colour of a verdict's badge. */
export function verdictColor(verdict: Verdict): string {
  return COLORS[verdict] ?? "gray";
}

/** Return the experiments of a paper with a verdict; an empty value selects all. */
export function filtered(experiments: readonly Summary[], paper: string, verdict: string): Summary[] {
  return experiments.filter(
    (one) =>
      (!paper || one.paper === paper) && (!verdict || one.claims.some((claim) => claim.verdict === verdict)),
  );
}

/** Return each paper once, in the order of the experiments. */
export function papersOf(experiments: readonly Summary[]): { value: string; label: string }[] {
  const found = new Map(experiments.map((one) => [one.paper, one.paper_title]));
  return [...found].map(([value, label]) => ({ value, label }));
}

/** Return the number of claims that hold. */
export function held(experiment: Summary): number {
  return experiment.claims.filter(({ verdict }) => verdict === "holds").length;
}

const PLOT_HEIGHT = 260;
const LEGEND_LINE = 20;
const SYMBOLS = ["circle", "rect", "triangle"];

/** Return the height of a diagram: the plot, and a line of the legend for each series. */
export function panelHeight(panel: Panel): number {
  return PLOT_HEIGHT + LEGEND_LINE * panel.lines.length;
}

/**
 * Return the lines of a diagram: means of the seeds.
 *
 * Names of series are long, so each has a line of the legend. Where colours repeat, lines are dashed and have
 * another symbol.
 */
export function panelOption(panel: Panel): EChartsCoreOption {
  const round = (index: number) => Math.floor(index / CHART_COLORS.light.length);
  return {
    legend: {
      ...{ type: "plain", orient: "vertical", bottom: 0, left: 0, align: "left" },
      ...{ itemWidth: 24, itemHeight: 8, itemGap: LEGEND_LINE - 14, textStyle: { lineHeight: 14 } },
    },
    grid: {
      ...{ left: 8, right: 24, top: 12, bottom: 28 + LEGEND_LINE * panel.lines.length },
      containLabel: true,
    },
    xAxis: { type: "value", scale: true, name: panel.x_label, nameLocation: "middle", nameGap: 28 },
    yAxis: { type: "value" },
    series: panel.lines.map(({ series, points }, index) => ({
      type: "line",
      name: series,
      symbol: SYMBOLS[round(index) % SYMBOLS.length],
      symbolSize: 5,
      lineStyle: { type: round(index) ? "dashed" : "solid" },
      data: points.map(([x, , mean]) => [x, mean]),
    })),
  };
}
