// Descriptions of the entries that a request merges, and of the predicted cost.

import type { Schemas } from "@/api/client";
import { text } from "@/common/text";

export type Merging = Schemas["Merging"] | Schemas["OperationMerging"];

const SHOWN = 6;

/** For example "merging saves 3 more entries, on s1, s2". */
export function describeMerging({ merged, unmerged, switches }: Merging): string {
  const parts = [merged && text.merging.merged(merged), unmerged && text.merging.unmerged(unmerged)];
  const changes = parts.filter(Boolean).join(", ") || text.merging.changed;
  return text.merging.switches(changes, switches.slice(0, SHOWN), Math.max(0, switches.length - SHOWN));
}

/** Predicted false positives and redundant copies of the merged entries, or the reason why they are unknown. */
export function predictedCost(merging: Merging): string {
  const { unwanted, needless, unwanted_per_second: rate, reason } = merging;
  if (unwanted === null || needless === null) return text.merging.unknownCost(reason);
  const together = "together" in merging ? merging.together : 1;
  const cost = text.merging.cost(unwanted, rate, needless, together);
  return reason ? `${cost} ${reason[0]?.toUpperCase()}${reason.slice(1)}` : cost;
}
