import type { Schemas } from "@/api/client";

export interface Refusal {
  name: string;
  detail: string;
}

/** The switches whose budget would not hold, in the order in which they were sent, with the reason. */
export function refusalsOf(names: readonly string[], cost: Pick<Schemas["Cost"], "results">): Refusal[] {
  const sent = Object.keys(Object.fromEntries(names.map((name) => [name, null]))); // as JSON has them
  return cost.results
    .filter(({ accepted }) => !accepted)
    .map(({ index, detail }) => ({ name: sent[index] ?? "", detail: detail ?? "" }));
}
