import { useComputedColorScheme } from "@mantine/core";

/** Colours of series in order, with enough contrast to the background of each theme. */
export const CHART_COLORS: Record<"light" | "dark", readonly string[]> = {
  light: ["#0b7188", "#c2571a", "#5b7f2b", "#8a4fa3", "#b8860b", "#3b6fb6", "#a33b5a", "#5a6669"],
  dark: ["#69aebf", "#f0955a", "#9cc46b", "#cf9be6", "#e3b341", "#86a9e8", "#e58aa5", "#a9b6ba"],
};

/** Colours of series in the current theme. */
export function useChartColors(): readonly string[] {
  return CHART_COLORS[useComputedColorScheme("light")];
}
