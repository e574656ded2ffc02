// Stages of a request, and the time between them.

import type { NetworkRequest } from "@/api/request";
import { text } from "./text";

export interface Step {
  name: "received" | "started" | "computed" | "confirmed";
  label: string;
  /** Activity between the previous stage and this one. */
  action: string;
  at: string | null;
  /** Time since the previous stage in ms; null if one of both times is unknown. */
  took: number | null;
}

const STEPS = [
  { name: "received", ...text.stages.received },
  { name: "started", ...text.stages.started },
  { name: "computed", ...text.stages.computed },
  { name: "confirmed", ...text.stages.confirmed },
] as const;

/** Stages of a request in order. */
export function steps(stage: NetworkRequest["stage"]): Step[] {
  return STEPS.map((step, index) => {
    const at = stage[step.name] ?? null;
    const before = index > 0 ? (stage[(STEPS[index - 1] as (typeof STEPS)[number]).name] ?? null) : null;
    return { ...step, at, took: at && before ? Date.parse(at) - Date.parse(before) : null };
  });
}

/** Time from the call to the last known stage in ms; null if only the call is known. */
export function total(stage: NetworkRequest["stage"]): number | null {
  const last = stage.confirmed ?? stage.computed;
  return last ? Date.parse(last) - Date.parse(stage.received) : null;
}

/** Format a duration: "<1 ms", "12 ms", "1.2 s", "3 min 5 s", "2 h 4 min". */
export function span(ms: number | null): string {
  if (ms === null) return "–";
  if (ms < 1) return text.stages.underOneMs;
  if (ms < 1_000) return text.stages.ms(Math.round(ms));
  if (ms < 9_950) return text.stages.s((ms / 1_000).toFixed(1));
  const s = Math.round(ms / 1_000);
  if (s < 60) return text.stages.s(String(s));
  if (s < 3_600) return text.stages.min(Math.floor(s / 60), s % 60);
  return text.stages.h(Math.floor(s / 3_600), Math.floor((s % 3_600) / 60));
}
