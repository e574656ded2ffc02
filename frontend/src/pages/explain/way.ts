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

export type For = "match" | "truncation" | "nobody";

/** For whom a copy is: somebody who wants the event, somebody whose dz set holds it, or nobody. */
export function forWhom({ matching_count, truncated_count }: Output): For {
  return matching_count > 0 ? "match" : truncated_count > 0 ? "truncation" : "nobody";
}

/** Why, in words that a reader needs no manual for. */
export const REASONS: Record<string, string> = {
  match: "a subscription matches",
  truncation: "false positive by truncation",
  aggregation: "false positive by budget",
  stale_entry: "by an entry that is to go",
  entry_missing: "an entry is missing",
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

export const ABOUT: Record<string, string> = {
  truncation:
    "Only the dz set of a subscription holds the event: dz know indexed attributes alone, and are limited in length and number.",
  aggregation: "A merged entry on the way brings it, to keep its switch within the TCAM budget.",
  stale_entry: "An entry on the way is not in the plan any more, and the switch has yet to remove it.",
  entry_missing: "A subscription matches, and a switch on the way lacks the entry that would lead there.",
  no_advertisement: "The publisher's host advertises nothing in the topic, so that nothing is sent.",
  outside_advertisement: "The event lies outside what was advertised, and is not sent.",
};

export interface Fate extends Verdict {
  received: boolean;
}

/** All hosts, those that get the event first, then those that should, then the others; by name among equals. */
export function fates({ received, not_received }: Explanation): Fate[] {
  const rank = Object.keys(REASONS);
  const all = [
    ...received.map((one) => ({ ...one, received: true })),
    ...not_received.map((one) => ({ ...one, received: false })),
  ];
  return all.sort(
    (a, b) =>
      rank.indexOf(a.reason) - rank.indexOf(b.reason) ||
      a.host.localeCompare(b.host, undefined, { numeric: true }),
  );
}

/** What a reader wants to know first. */
export function summary({ event, received, not_received }: Explanation): string {
  if (event.problem) return `It is not sent: ${REASONS[event.problem] ?? event.problem}.`;
  const wanted = received.filter(({ reason }) => reason === "match").length;
  const missing = not_received.filter(({ reason }) =>
    ["entry_missing", "unreachable", "switch_down", "host_down"].includes(reason),
  ).length;
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
