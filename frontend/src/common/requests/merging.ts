// What a request merges, and what that is expected to cost, in words.

import type { Schemas } from "@/api/client";

export type Merging = Schemas["Merging"] | Schemas["OperationMerging"];

const entries = (n: number) => `${n.toLocaleString()} ${n === 1 ? "entry" : "entries"}`;

/** "3 entries merged, 1 entry unmerged, at s1, s2" */
export function describeMerging({ merged, unmerged, switches }: Merging): string {
  const parts = [merged && `${entries(merged)} merged`, unmerged && `${entries(unmerged)} unmerged`];
  const shown =
    switches.slice(0, 6).join(", ") + (switches.length > 6 ? ` and ${switches.length - 6} more` : "");
  return `${parts.filter(Boolean).join(", ") || "merged entries changed"}, at ${shown}`;
}

const digits = (n: number) => n.toLocaleString(undefined, { maximumSignificantDigits: 3 });

/** What the merged entries are expected to deliver without being asked, with units; null: nothing is expected. */
export function expectedCost(merging: Merging): string | null {
  const { unwanted, needless, unwanted_per_second: rate, reason } = merging;
  if (unwanted === null || needless === null) return `Expected cost ${reason}`;
  const together =
    "together" in merging && merging.together > 1
      ? ` (of ${merging.together.toLocaleString()} requests planned together)`
      : "";
  const perSecond = rate === null ? "" : `, ${digits(rate)} per second`;
  return (
    `Expected: ${digits(unwanted)} unwanted deliveries to hosts per event${perSecond}, ` +
    `${digits(needless)} needless copies between switches per event${together}.` +
    (reason ? ` ${reason[0]?.toUpperCase()}${reason.slice(1)}` : "")
  );
}
