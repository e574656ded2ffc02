import type { Schemas } from "@/api/client";

export interface Refusal {
  name: string;
  detail: string;
}

/** Switches whose budget does not fit, with the reason, in the order in which they were sent. */
export function refusalsOf(names: readonly string[], cost: Pick<Schemas["Cost"], "results">): Refusal[] {
  const sent = Object.keys(Object.fromEntries(names.map((name) => [name, null]))); // in the order of JSON
  return cost.results
    .filter(({ accepted }) => !accepted)
    .map(({ index, detail }) => ({ name: sent[index] ?? "", detail: detail ?? "" }));
}
