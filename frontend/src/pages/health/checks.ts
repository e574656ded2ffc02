// The checks of health, in words: what each looks at, and what to do when it is not well.

import type { Schemas } from "@/api/client";

export type Health = Schemas["Health"];
export type CheckName = Schemas["HealthCheck"]["name"];

export const CHECKS: Record<CheckName, { title: string; remedy: string; tab?: string }> = {
  database: {
    title: "Database",
    remedy: "See that the database runs and that TERCAST_DATABASE_URL names it.",
  },
  broker: { title: "Broker", remedy: "See that Redis runs, or that the state directory can be written." },
  worker: { title: "Worker (planner)", remedy: "Start a Celery worker; requests wait and none is lost." },
  watcher: {
    title: "Worker (watching)",
    remedy: "Start a Celery worker that serves the queue celery; it catches up.",
  },
  analytics: {
    title: "Worker of analytics",
    remedy: "Start a Celery worker with -Q analytics; runs wait for it.",
  },
  beat: { title: "Beat", remedy: "Start celery beat; without it nobody watches the switches." },
  planner: { title: "Planner", remedy: "See the oldest request on the Requests page, and the worker's log." },
  controller: {
    title: "Controller",
    remedy: "Start the controller; switches keep forwarding, and get what they lack when it is back.",
  },
  switches: { title: "Switches", remedy: "See which are away, and their problems.", tab: "switches" },
  tables: {
    title: "Tables",
    remedy: "Audit these switches; the detail says what stood in the way.",
    tab: "audits",
  },
  alarms: { title: "Alarms", remedy: "See what each means and what to do.", tab: "alarms" },
  signalling: {
    title: "In-band signalling",
    remedy: "Hosts that ask in band are not answered: see that the worker and the controller run.",
    tab: "signalling",
  },
  disk: {
    title: "Disk space",
    remedy: "Free space on the disk that the detail names: writes are refused once it is full.",
  },
};

export const STATUS: Record<string, { color: string; word: string }> = {
  ok: { color: "green", word: "well" },
  degraded: { color: "orange", word: "degraded" },
  failed: { color: "red", word: "failed" },
};

/** What the status of the whole platform means. */
export const MEANS: Record<string, string> = {
  ok: "All is well: changes are carried out.",
  degraded: "Changes are carried out, but something is wrong.",
  failed: "No change can be carried out. What is asked for waits, and nothing is lost.",
};

/** Health is told with 503 when something failed; both are answers. Throws what is neither. */
export async function askHealth(signal?: AbortSignal): Promise<Health> {
  const answer = await fetch("/api/v1/health/", { signal, headers: { Accept: "application/json" } });
  if (answer.status !== 200 && answer.status !== 503) throw new Error(`health answered ${answer.status}`);
  const told = await answer.json();
  if (!Array.isArray(told.checks)) throw new Error(told.detail ?? "The server cannot say how it is.");
  return told;
}
