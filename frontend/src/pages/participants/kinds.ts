// The four lists of the page and their differences.

import type { Schemas } from "@/api/client";
import { advertisementName } from "@/common/formatting/names";
import { text } from "./text";

export type Tab = "publishers" | "subscribers" | "advertisements" | "subscriptions";
export type Participant = Schemas["Publisher"] | Schemas["Subscriber"];
export type Announcement = Schemas["Advertisement"] | Schemas["Subscription"];

export const TABS: readonly { value: Tab; label: string }[] = [
  { value: "publishers", label: text.publisher.owners },
  { value: "subscribers", label: text.subscriber.owners },
  { value: "advertisements", label: text.publisher.announcements },
  { value: "subscriptions", label: text.subscriber.announcements },
];

/** Kind of participant with its kind of announcement. */
export interface Side {
  who: "publisher" | "subscriber";
  owners: "publishers" | "subscribers";
  kind: "advertisement" | "subscription";
  announcements: "advertisements" | "subscriptions";
  prefix: "a" | "q";
}

export const PUBLISHING: Side = {
  who: "publisher",
  owners: "publishers",
  kind: "advertisement",
  announcements: "advertisements",
  prefix: "a",
};

export const SUBSCRIBING: Side = {
  who: "subscriber",
  owners: "subscribers",
  kind: "subscription",
  announcements: "subscriptions",
  prefix: "q",
};

/** Return the side of a tab or of the name of a kind. */
export function sideOf(name: string): Side {
  return name.startsWith("publisher") || name.startsWith("advertisement") ? PUBLISHING : SUBSCRIBING;
}

/** Return the name of the publisher or subscriber of an announcement. */
export function ownerOf(row: Announcement): string {
  return "publisher" in row ? row.publisher : row.subscriber;
}

/** Return the id of an announcement in plans: a7, q12. */
export function announcementName(row: Announcement): string {
  return "publisher" in row ? advertisementName(row.id) : `q${row.id}`;
}

/** Return a filter, or the words for none (dz only) and for an empty one. */
export function filterText(filter: string | null): string {
  if (filter === null) return text.withoutFilter;
  return filter.trim() === "" ? text.everyEvent : filter;
}

/** Return the published or delivered events that hosts report; null without a report. */
export function eventsOf(row: Participant | Announcement): number | null {
  return "published" in row ? row.published : row.delivered;
}

/** Return the number of active filters of a publisher or subscriber. */
export function filtersOf(row: Participant): number {
  return "advertisements" in row ? row.advertisements : row.subscriptions;
}
