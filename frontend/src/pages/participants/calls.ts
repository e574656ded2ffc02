// Calls of the API that exist for publishers and for subscribers.

import { api, type Schemas } from "@/api/client";
import type { NetworkRequest } from "@/api/request";
import { type Announcement, type Participant, type Side, sideOf } from "./kinds";

export type Cost = Schemas["Cost"];

/** Register a publisher or subscriber at a host. */
export async function register(side: Side, name: string, host: string): Promise<Participant> {
  const body = { name, host };
  const { data } =
    side.who === "publisher"
      ? await api.POST("/api/v1/publishers/", { body })
      : await api.POST("/api/v1/subscribers/", { body });
  return data as Participant;
}

/** Announce a filter: advertise or subscribe. */
export async function announce(
  side: Side,
  owner: string,
  topic: string,
  filter: string,
): Promise<NetworkRequest> {
  const { data } =
    side.who === "publisher"
      ? await api.POST("/api/v1/advertisements/", { body: { publisher: owner, topic, filter } })
      : await api.POST("/api/v1/subscriptions/", { body: { subscriber: owner, topic, filter } });
  return data as NetworkRequest;
}

/** Withdraw an announcement; return the request, or undefined if it is gone immediately. */
export async function withdraw(row: Announcement): Promise<NetworkRequest | undefined> {
  const params = { path: { id: String(row.id) } };
  const { data } =
    "publisher" in row
      ? await api.DELETE("/api/v1/advertisements/{id}/", { params })
      : await api.DELETE("/api/v1/subscriptions/{id}/", { params });
  return (data as NetworkRequest | undefined) || undefined;
}

/** Return the cost of a withdrawal, from a dry run. */
export async function withdrawalCost(row: Announcement, signal: AbortSignal): Promise<Cost> {
  const params = { path: { id: String(row.id) }, query: { dry_run: true } };
  const { data } =
    "publisher" in row
      ? await api.DELETE("/api/v1/advertisements/{id}/", { params, signal })
      : await api.DELETE("/api/v1/subscriptions/{id}/", { params, signal });
  return data as Cost;
}

/** Remove a participant without announcements; with `check`, only check whether it may go. */
export async function remove(tab: "publishers" | "subscribers", id: number, check = false): Promise<void> {
  const params = { path: { id: String(id) }, query: { dry_run: check } };
  if (sideOf(tab).who === "publisher") await api.DELETE("/api/v1/publishers/{id}/", { params });
  else await api.DELETE("/api/v1/subscribers/{id}/", { params });
}

/** Return the objects that a withdrawal of all announcements of a participant affects. */
export async function affectedBy(
  tab: "publishers" | "subscribers",
  id: number,
  signal: AbortSignal,
): Promise<Schemas["Affected"]> {
  const params = { path: { id: String(id) } };
  const { data } =
    sideOf(tab).who === "publisher"
      ? await api.GET("/api/v1/publishers/{id}/affected/", { params, signal })
      : await api.GET("/api/v1/subscribers/{id}/affected/", { params, signal });
  return data as Schemas["Affected"];
}

/** Read an announcement. */
export async function readAnnouncement(side: Side, id: number, signal: AbortSignal): Promise<Announcement> {
  const params = { path: { id: String(id) } };
  const { data } =
    side.who === "publisher"
      ? await api.GET("/api/v1/advertisements/{id}/", { params, signal })
      : await api.GET("/api/v1/subscriptions/{id}/", { params, signal });
  return data as Announcement;
}
