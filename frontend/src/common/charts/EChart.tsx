import { useComputedColorScheme } from "@mantine/core";
import { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  AriaComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TitleComponent,
  TooltipComponent,
  VisualMapComponent,
} from "echarts/components";
import { type EChartsCoreOption, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { CHART_COLORS } from "./chartColors";

use([
  ...[BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart],
  ...[AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent],
  ...[TitleComponent, TooltipComponent, VisualMapComponent, CanvasRenderer],
]);

/** Properties of a chart; `height` is in pixels. */
export interface ChartProperties {
  option: EChartsCoreOption;
  label: string;
  height?: number;
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of a click depend on the series
  onClick?: (parameters: any) => void;
}

/**
 * Chart of ECharts with a description for screen readers: `label` and the description by ECharts.
 *
 * ECharts draws tooltips on the canvas, because the content security policy does not allow inline styles.
 */
export function EChart({ option, label, height = 280, onClick }: ChartProperties) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<ReturnType<typeof init> | null>(null);
  const scheme = useComputedColorScheme("light");

  useEffect(() => {
    if (!element.current) return;
    const made = init(element.current, scheme === "dark" ? "dark" : undefined, { renderer: "canvas" });
    chart.current = made;
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(element.current);
    return () => {
      watch.disconnect();
      made.dispose();
      chart.current = null;
    };
  }, [scheme]);

  useEffect(() => {
    const { tooltip, ...rest } = option as { tooltip?: object };
    chart.current?.setOption(
      {
        color: [...CHART_COLORS[scheme]],
        backgroundColor: "transparent",
        animation: false,
        aria: { enabled: true, label: { enabled: true, description: undefined } },
        tooltip: { trigger: "axis", confine: true, ...tooltip, renderMode: "richText" },
        grid: { left: 8, right: 16, top: 32, bottom: 8, containLabel: true },
        ...rest,
      },
      { notMerge: true },
    );
  }, [option, scheme]);

  useEffect(() => {
    if (!onClick) return;
    const made = chart.current;
    made?.on("click", onClick);
    return () => void made?.off("click", onClick);
  }, [onClick]);

  return (
    <div ref={element} role="img" aria-label={label} style={{ height, width: "100%" }} data-chart={label} />
  );
}
