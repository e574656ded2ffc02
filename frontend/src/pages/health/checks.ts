// Checks of the platform's health: names, remedies and states.

import type { Schemas } from "@/api/client";
import { text } from "./text";

export type Health = Schemas["Health"];
export type CheckName = Schemas["HealthCheck"]["name"];

/** Tabs with the details of a check. */
export const CHECK_TABS: Partial<Record<CheckName, string>> = {
  switches: "switches",
  tables: "audits",
  alarms: "alarms",
  signalling: "signalling",
};

export const STATUS_COLOR: Record<string, string> = { ok: "green", degraded: "orange", failed: "red" };

/** Read the health. Both statuses 200 and 503 have a health report; throws an error for others. */
export async function askHealth(signal?: AbortSignal): Promise<Health> {
  const response = await fetch("/api/v1/health/", { signal, headers: { Accept: "application/json" } });
  if (response.status !== 200 && response.status !== 503)
    throw new Error(text.overview.unreachable(response.status));
  const report = await response.json();
  if (!Array.isArray(report.checks)) throw new Error(report.detail ?? text.overview.unreadable);
  return report;
}
