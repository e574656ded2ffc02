// Explanation of an event for the page: its path as a tree of hops, and the hosts in the order of their reasons.

import type { Schemas } from "@/api/client";
import { text } from "./text";

export type Hop = Schemas["Hop"];
export type Output = Schemas["Output"];
export type Verdict = Schemas["Verdict"];
export type Explanation = Schemas["Explanation"];

export interface HopNode {
  hop: Hop;
  outputs: { output: Output; next: HopNode | null }[];
}

/** Return the hops as a tree, or null without hops; each hop appears once, even in a loop. */
export function treeOf(path: readonly Hop[]): HopNode | null {
  const byNumber = new Map(path.map((hop) => [hop.hop, hop]));
  const seen = new Set<number>();
  const grow = (hop: Hop): HopNode => {
    seen.add(hop.hop);
    return {
      hop,
      outputs: hop.outputs.map((output) => {
        const next = output.next_hop === null ? undefined : byNumber.get(output.next_hop);
        return { output, next: next && !seen.has(next.hop) ? grow(next) : null };
      }),
    };
  };
  const first = path.find(({ from_hop }) => from_hop === null);
  return first ? grow(first) : null;
}

export type CopyPurpose = "match" | "truncation" | "nobody";

/** Return the purpose of a copy: a match, a dz set with the event, or none (redundant copy). */
export function purposeOf({ matching_count, truncated_count }: Output): CopyPurpose {
  return matching_count > 0 ? "match" : truncated_count > 0 ? "truncation" : "nobody";
}

/** Reasons in the order in which the table lists their hosts. */
const ORDER: readonly string[] = [
  ...["match", "truncation", "aggregation", "stale_entry"],
  ...["entry_missing", "foreign_entry", "other_entry", "other_ports", "other_action", "other_wiring"],
  ...["unreachable", "switch_down", "host_down", "no_advertisement", "outside_advertisement"],
  ...["not_active", "failed", "withdrawn", "no_match", "no_subscription"],
];

/** Reasons that keep an event from a host with a matching subscription. */
export const FAULTS: readonly string[] = [
  ...["entry_missing", "foreign_entry", "other_entry", "other_ports", "other_action", "other_wiring"],
  ...["unreachable", "switch_down", "host_down"],
];

/** Reasons of subscriptions that do not match the event. */
const WITHOUT_MATCH = ["truncation", "no_match"];

export interface HostOutcome extends Verdict {
  received: boolean;
}

/** Return the outcome of the plan, or the difference of a real switch that drops the event. */
function outcomeInReality(planned: Verdict, real: Explanation["real"]): HostOutcome {
  const lost = real?.lost.find(({ host }) => host === planned.host);
  const why = lost && real?.differences.find((one) => one.switch === lost.at_switch);
  if (!lost || !why) return { ...planned, received: true };
  const { kind, detail } = why;
  return {
    ...planned,
    received: false,
    copies: 0,
    reason: kind as Verdict["reason"],
    detail,
    at_switch: why.switch,
  };
}

/** Return all hosts in the order of their reasons, hosts with equal reasons by name. */
export function hostOutcomes({ received, not_received, real }: Explanation): HostOutcome[] {
  const all = [
    ...received.map((one) => outcomeInReality(one, real)),
    ...not_received.map((one) => ({ ...one, received: false })),
  ];
  return all.sort(
    (a, b) =>
      ORDER.indexOf(a.reason) - ORDER.indexOf(b.reason) ||
      a.host.localeCompare(b.host, undefined, { numeric: true }),
  );
}

/** Whether a host that misses the event has a matching subscription, not only a dz set. */
function hasMatch({ subscriptions }: HostOutcome): boolean {
  return subscriptions.length === 0 || subscriptions.some(({ reason }) => !WITHOUT_MATCH.includes(reason));
}

/** Return the summary: receivers, false positives and missing deliveries. */
export function summary(found: Explanation): string {
  const { event } = found;
  if (event.problem) return notSent(event.problem);
  const all = hostOutcomes(found);
  const received = all.filter((one) => one.received);
  const delivered = received.filter(({ reason }) => reason === "match").length;
  const falsePositives = received.length - delivered;
  const missing = all.filter((one) => FAULTS.includes(one.reason) && hasMatch(one)).length;
  return [
    text.summary.delivered(delivered),
    falsePositives > 0 ? text.summary.falsePositives(falsePositives) : "",
    missing > 0 ? text.summary.missing(missing) : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function notSent(reason: string): string {
  if (reason === "no_advertisement") return text.summary.noAdvertisement;
  if (reason === "outside_advertisement") return text.summary.outsideAdvertisement;
  return text.summary.notSent(text.reasons[reason] ?? reason);
}
