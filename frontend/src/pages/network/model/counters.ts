// Counters of all reporters and their rates.

import type { Schemas } from "@/api/client";

export type Totals = Schemas["Totals"];

const SPAN = 10_000; // ms over which rates are taken
const MOST = 100;

interface Sample {
  at: number;
  published: number;
  delivered: number;
}

/** Add a sample for rates. Samples from before a reset of a counter are removed. */
export function addSample(before: readonly Sample[], totals: Totals, at: number): Sample[] {
  const last = before.at(-1);
  const reset = last && (at < last.at || totals.published < last.published);
  const samples = [
    ...(reset ? [] : before),
    { at, published: totals.published, delivered: totals.delivered },
  ];
  const old = samples.findLastIndex((sample) => sample.at <= at - SPAN);
  return samples.slice(Math.max(0, old, samples.length - MOST));
}

/** Growth of a counter per second; null without two samples. */
export function rate(samples: readonly Sample[], name: "published" | "delivered"): number | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || last.at <= first.at) return null;
  return (1_000 * (last[name] - first[name])) / (last.at - first.at);
}
