// The jobs of analytics, in words.

export const JOBS: Record<string, { title: string; what: string }> = {
  flow_table_size: { title: "Table size", what: "entries of each switch against its budget" },
  delay: { title: "Delay", what: "percentiles of the delay from publisher to host" },
  false_positives: {
    title: "False positives",
    what: "events that hosts got and had not asked for, and losses",
  },
  publisher_load: { title: "Publisher load", what: "how much each publisher sends" },
  request_latency: {
    title: "Request latency",
    what: "how long requests wait, are computed and are deployed",
  },
  dimension_selection: { title: "Dimension ranking", what: "which attributes tell events apart" },
  event_samples: { title: "Event samples", what: "past events that aggregation learns from" },
};

/** The words for a job's name; the name itself where there are none. */
export function jobTitle(job: string): string {
  return JOBS[job]?.title ?? job;
}

export const OVER = ["succeeded", "failed", "skipped", "cancelled"];

export const RUN_COLOR: Record<string, string> = {
  succeeded: "green",
  failed: "red",
  skipped: "gray",
  cancelled: "orange",
  running: "teal",
  queued: "teal",
};
