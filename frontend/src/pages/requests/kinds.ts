// What requests are called, and where what they are about is to be seen and mended.

import type { NetworkRequest } from "@/api/request";

export const KINDS: Record<string, string> = {
  advertise: "Advertise",
  unadvertise: "Withdraw an advertisement",
  subscribe: "Subscribe",
  unsubscribe: "Withdraw a subscription",
  set_budget: "Set a TCAM budget",
  set_capacity: "Note a table's capacity",
  set_reserve: "Keep room in a table",
  set_aggregation: "Set the aggregation method",
  aggregate: "Install merged entries",
  set_indexed: "Index attributes",
  add_topic: "Add a topic",
  remove_topic: "Remove a topic",
  add_switch: "Add a switch",
  remove_switch: "Remove a switch",
  switch_up: "Take a switch into use",
  switch_down: "Take a switch out of use",
  add_link: "Add a link",
  remove_link: "Remove a link",
  link_up: "Take a link into use",
  link_down: "Take a link out of use",
  add_host: "Add a host",
  remove_host: "Remove a host",
  host_move: "Move a host",
  finish_move: "Let old entries go",
};

export const kindWords = (kind: string) => KINDS[kind] ?? kind;

export interface Page {
  label: string;
  to: string;
}

/** The page that shows what a request is about; null where nothing does. */
export function pageOf({ kind, object }: Pick<NetworkRequest, "kind" | "object">): Page | null {
  if (kind === "set_aggregation") return { label: "Aggregation policy", to: "/budgets?tab=policy" };
  if (kind === "aggregate") return { label: "Runs of aggregation", to: "/budgets?tab=runs" };
  if (!object) return null;
  const { type, name } = object;
  if (kind === "set_budget") return { label: `Budget of ${name}`, to: budgetsOf([name]) };
  switch (type) {
    case "advertisement":
      return { label: `Advertisement ${name}`, to: `/participants?tab=publishers` };
    case "subscription":
      return { label: `Subscription ${name}`, to: `/participants?tab=subscribers` };
    case "topic":
      return { label: `Topic ${name}`, to: `/topics/${encodeURIComponent(name)}` };
    case "host":
      return { label: `Host ${name}`, to: "/network" };
    case "link":
      return { label: `Link at ${name}`, to: "/network" };
    default:
      return { label: `Switch ${name}`, to: `/network?switch=${encodeURIComponent(name)}` };
  }
}

/** The budgets of these switches, to be edited. */
export function budgetsOf(names: readonly string[]): string {
  return `/budgets?select=${names.map(encodeURIComponent).join(",")}`;
}
