import { lazy, Suspense } from "react";
import type { ChartProperties } from "./EChart";

const EChart = lazy(async () => ({ default: (await import("./EChart")).EChart }));

/** Chart; the browser loads ECharts when it shows the first one. */
export function Chart(properties: ChartProperties) {
  return (
    <Suspense fallback={<div style={{ height: properties.height ?? 280 }} />}>
      <EChart {...properties} />
    </Suspense>
  );
}
