// Experiments as the API returns them, and what the page derives from them.

import type { EChartsCoreOption } from "echarts/core";
import type { components } from "@/api/schema.gen";

export type Summary = components["schemas"]["ExperimentSummary"];
export type Experiment = components["schemas"]["Experiment"];
export type Panel = Experiment["panels"][number];
export type Verdict = Summary["verdict"];

const COLORS: Partial<Record<Verdict, string>> = { holds: "green", differs: "red", undecided: "yellow" };

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

/** Return the lines of a diagram: means of the seeds. */
export function panelOption(panel: Panel): EChartsCoreOption {
  return {
    legend: { type: "scroll", top: 0, left: 0, right: 0, itemWidth: 12, itemHeight: 8 },
    grid: { left: 28, right: 16, top: 34, bottom: 28, containLabel: true },
    xAxis: { type: "value", scale: true, name: panel.x_label, nameLocation: "middle", nameGap: 28 },
    yAxis: { type: "value" },
    series: panel.lines.map(({ series, points }) => ({
      type: "line",
      name: series,
      symbolSize: 5,
      data: points.map(([x, , mean]) => [x, mean]),
    })),
  };
}
