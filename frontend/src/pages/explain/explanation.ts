// The way of an event as a tree of hops, and the hosts in the order of what became of them.

import type { Schemas } from "@/api/client";

export type Hop = Schemas["Hop"];
export type Output = Schemas["Output"];
export type Verdict = Schemas["Verdict"];
export type Explanation = Schemas["Explanation"];

export interface HopNode {
  hop: Hop;
  outputs: { output: Output; next: HopNode | null }[];
}

/** The hops as a tree, from the first; copies that come round again are told once (`loops` says so). */
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

/** For whom a copy is: somebody who wants the event, somebody whose dz set holds it, or nobody. */
export function purposeOf({ matching_count, truncated_count }: Output): CopyPurpose {
  return matching_count > 0 ? "match" : truncated_count > 0 ? "truncation" : "nobody";
}

/** Why, in words that a reader needs no manual for. */
export const REASONS: Record<string, string> = {
  match: "a subscription matches",
  truncation: "false positive by truncation",
  aggregation: "false positive by budget",
  stale_entry: "by an entry that is to go",
  entry_missing: "an entry is missing",
  foreign_entry: "somebody else's entry takes it",
  other_entry: "another entry takes it",
  other_ports: "an entry sends elsewhere",
  other_action: "an entry does something else to it",
  other_wiring: "a link leads elsewhere",
  unreachable: "no path of links that are up",
  switch_down: "its switch is down",
  host_down: "the host is down",
  no_advertisement: "no advertisement",
  outside_advertisement: "outside the advertisement",
  not_active: "subscription not active yet",
  failed: "subscription failed",
  withdrawn: "subscription withdrawn",
  no_match: "no subscription matches",
  no_subscription: "no subscription to the topic",
};

/** Those of what keeps an event from a host that wants it. */
export const FAULTS: readonly string[] = [
  ...["entry_missing", "foreign_entry", "other_entry", "other_ports", "other_action", "other_wiring"],
  ...["unreachable", "switch_down", "host_down"],
];

export const ABOUT: Record<string, string> = {
  truncation:
    "Only the dz set of a subscription holds the event: dz know indexed attributes alone, and are limited in length and number.",
  aggregation: "A merged entry on the way brings it, to keep its switch within the TCAM budget.",
  stale_entry: "An entry on the way is not in the plan any more, and the switch has yet to remove it.",
  entry_missing: "A subscription matches, and a switch on the way lacks the entry that would lead there.",
  no_advertisement: "The publisher's host advertises nothing in the topic, so that nothing is sent.",
  outside_advertisement: "The event lies outside what was advertised, and is not sent.",
};

const NEEDLESS = ["truncation", "no_match"];

export interface HostOutcome extends Verdict {
  received: boolean;
}

/** The plan's word, but where a real switch keeps the event from a host that the plan brings it to. */
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

/** All hosts, those that get the event first, then those that should, then the others; by name among equals. */
export function hostOutcomes({ received, not_received, real }: Explanation): HostOutcome[] {
  const rank = Object.keys(REASONS);
  const all = [
    ...received.map((one) => outcomeInReality(one, real)),
    ...not_received.map((one) => ({ ...one, received: false })),
  ];
  return all.sort(
    (a, b) =>
      rank.indexOf(a.reason) - rank.indexOf(b.reason) ||
      a.host.localeCompare(b.host, undefined, { numeric: true }),
  );
}

/** Whether a host that misses the event has a subscription that matches, and not only a dz that holds it. */
function isWanted({ subscriptions }: HostOutcome): boolean {
  return subscriptions.length === 0 || subscriptions.some(({ reason }) => !NEEDLESS.includes(reason));
}

/** What a reader wants to know first. */
export function summary(found: Explanation): string {
  const { event } = found;
  if (event.problem) return `It is not sent: ${REASONS[event.problem] ?? event.problem}.`;
  const all = hostOutcomes(found);
  const received = all.filter((one) => one.received);
  const wanted = received.filter(({ reason }) => reason === "match").length;
  const missing = all.filter((one) => FAULTS.includes(one.reason) && isWanted(one)).length;
  const hosts = (n: number) => (n === 1 ? "1 host" : `${n} hosts`);
  const needless = received.length - wanted;
  return [
    wanted === 0
      ? "No host that wants it gets it"
      : `${hosts(wanted)} ${wanted === 1 ? "wants" : "want"} it and ${wanted === 1 ? "gets" : "get"} it`,
    needless > 0 ? `${hosts(needless)} ${needless === 1 ? "gets" : "get"} it needlessly` : "",
    missing > 0
      ? `${hosts(missing)} ${missing === 1 ? "wants" : "want"} it and ${missing === 1 ? "does" : "do"} not get it`
      : "",
  ]
    .filter(Boolean)
    .join("; ")
    .concat(".");
}
