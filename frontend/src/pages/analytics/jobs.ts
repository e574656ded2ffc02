// Jobs of analytics: names, and states of their runs.

import { text } from "./text";

/** Jobs that users can run, in the order of lists. */
export const JOBS = Object.keys(text.jobs);

/** Return the title of a job, or its name if it has none. */
export function jobTitle(job: string): string {
  return text.jobs[job]?.title ?? job;
}

/** Final states of a run. */
export const OVER = ["succeeded", "failed", "skipped", "cancelled"];

export const RUN_COLOR: Record<string, string> = {
  succeeded: "green",
  failed: "red",
  skipped: "gray",
  cancelled: "orange",
  running: "teal",
  queued: "teal",
};
