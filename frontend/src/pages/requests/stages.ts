// The stages that a request goes through, and how long it took from one to the next.

import type { NetworkRequest } from "@/api/request";

export interface Step {
  name: "received" | "started" | "computed" | "confirmed";
  label: string;
  /** What happens from the stage before to this one. */
  doing: string;
  at: string | null;
  /** ms since the stage before; null where one of the two is not known. */
  took: number | null;
}

const STEPS = [
  { name: "received", label: "Received", doing: "" },
  { name: "started", label: "Started", doing: "waited for the planner" },
  { name: "computed", label: "Computed", doing: "planning" },
  { name: "confirmed", label: "Confirmed", doing: "until every switch had confirmed" },
] as const;

/** The stages in their order. */
export function steps(stage: NetworkRequest["stage"]): Step[] {
  return STEPS.map((step, index) => {
    const at = stage[step.name] ?? null;
    const before = index > 0 ? (stage[(STEPS[index - 1] as (typeof STEPS)[number]).name] ?? null) : null;
    return { ...step, at, took: at && before ? Date.parse(at) - Date.parse(before) : null };
  });
}

/** ms from the call to the end of what is known; null while only the call is. */
export function total(stage: NetworkRequest["stage"]): number | null {
  const last = stage.confirmed ?? stage.computed;
  return last ? Date.parse(last) - Date.parse(stage.received) : null;
}

/** A span: "<1 ms", "12 ms", "1.2 s", "3 min 5 s", "2 h 4 min". */
export function span(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1) return "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const s = Math.round(ms / 1_000);
  if (s < 60) return `${s} s`;
  if (s < 3_600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3_600)} h ${Math.floor((s % 3_600) / 60)} min`;
}
