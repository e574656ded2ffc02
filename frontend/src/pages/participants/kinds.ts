// The four lists of the page, and what differs between them.

import type { Schemas } from "@/api/client";
import { advertisementName } from "@/common/formatting/names";

export type Tab = "publishers" | "subscribers" | "advertisements" | "subscriptions";
export type Participant = Schemas["Publisher"] | Schemas["Subscriber"];
export type Announcement = Schemas["Advertisement"] | Schemas["Subscription"];

export const TABS: readonly { value: Tab; label: string }[] = [
  { value: "publishers", label: "Publishers" },
  { value: "subscribers", label: "Subscribers" },
  { value: "advertisements", label: "Advertisements" },
  { value: "subscriptions", label: "Subscriptions" },
];

/** A kind of participant with what it announces. */
export interface Side {
  who: "publisher" | "subscriber";
  owners: "publishers" | "subscribers";
  what: "advertisement" | "subscription";
  announcements: "advertisements" | "subscriptions";
  prefix: "a" | "q";
  verb: string;
}

export const PUBLISHING: Side = {
  who: "publisher",
  owners: "publishers",
  what: "advertisement",
  announcements: "advertisements",
  prefix: "a",
  verb: "Advertise",
};

export const SUBSCRIBING: Side = {
  who: "subscriber",
  owners: "subscribers",
  what: "subscription",
  announcements: "subscriptions",
  prefix: "q",
  verb: "Subscribe",
};

/** The side that a tab, or the name of a kind, belongs to. */
export function sideOf(name: string): Side {
  return name.startsWith("publisher") || name.startsWith("advertisement") ? PUBLISHING : SUBSCRIBING;
}

/** Who made an announcement. */
export function ownerOf(row: Announcement): string {
  return "publisher" in row ? row.publisher : row.subscriber;
}

/** An announcement by its id in plans: a7, q12. */
export function announcementName(row: Announcement): string {
  return "publisher" in row ? advertisementName(row.id) : `q${row.id}`;
}

/** What a filter says, in short. */
export function filterText(filter: string | null): string {
  if (filter === null) return "by dz, without a filter";
  return filter.trim() === "" ? "every event" : filter;
}

/** What somebody published or got, as hosts report it; null where nobody did. */
export function eventsOf(row: Participant | Announcement): number | null {
  return "published" in row ? row.published : row.delivered;
}

/** How many live filters a publisher or subscriber has. */
export function filtersOf(row: Participant): number {
  return "advertisements" in row ? row.advertisements : row.subscriptions;
}
