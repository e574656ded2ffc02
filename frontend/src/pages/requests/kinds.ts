// Names of request kinds, and the pages of the objects that requests change.

import type { NetworkRequest } from "@/api/request";
import { text } from "./text";

/** Name of a request kind. An unknown kind is returned unchanged. */
export const kindWords = (kind: string) => text.kinds[kind] ?? kind;

export interface Page {
  label: string;
  to: string;
}

/** Link to the page of the object of a request, or null. */
export function pageOf({ kind, object }: Pick<NetworkRequest, "kind" | "object">): Page | null {
  if (kind === "set_aggregation") return { label: text.pages.policy, to: "/budgets?tab=policy" };
  if (kind === "aggregate") return { label: text.pages.runs, to: "/budgets?tab=runs" };
  if (!object) return null;
  const { type, name } = object;
  if (kind === "set_budget") return { label: text.pages.budget(name), to: budgetsOf([name]) };
  switch (type) {
    case "advertisement":
      return { label: text.pages.advertisement(name), to: `/participants?tab=publishers` };
    case "subscription":
      return { label: text.pages.subscription(name), to: `/participants?tab=subscribers` };
    case "topic":
      return { label: text.pages.topic(name), to: `/topics/${encodeURIComponent(name)}` };
    case "host":
      return { label: text.pages.host(name), to: "/network" };
    case "link":
      return { label: text.pages.link(name), to: "/network" };
    default:
      return { label: text.pages.switch(name), to: `/network?switch=${encodeURIComponent(name)}` };
  }
}

/** Address of the page Budgets with these switches selected. */
export function budgetsOf(names: readonly string[]): string {
  return `/budgets?select=${names.map(encodeURIComponent).join(",")}`;
}
