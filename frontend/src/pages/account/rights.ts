// Roles, scopes, expiry times and passwords.

import { text } from "./text";

export const SCOPES = [
  { value: "read", role: "viewer" },
  { value: "write", role: "operator" },
  { value: "admin", role: "administrator" },
] as const;

const ORDER = ["viewer", "operator", "administrator"];

/** Scopes that a role can use. */
export function scopesOf(role: string): (typeof SCOPES)[number][] {
  return SCOPES.filter((scope) => ORDER.indexOf(scope.role) <= ORDER.indexOf(role));
}

export const EXPIRIES = [
  { value: "1", label: text.create.expiries.day },
  { value: "30", label: text.create.expiries.month },
  { value: "90", label: text.create.expiries.quarter },
  { value: "365", label: text.create.expiries.year },
  { value: "", label: text.create.expiries.never },
] as const;

/** Time when a token expires after `days`, as ISO text; null for never. */
export function expiryOf(days: string, now: number): string | null {
  return days === "" ? null : new Date(now + Number(days) * 86_400_000).toISOString();
}

/** Number of resources that a user can read, and names of those that the user can change. Single rows belong to their list. */
export function sumOf(may: readonly { resource: string; methods: readonly string[] }[]) {
  const lists = may.filter(({ resource }) => !resource.includes("{"));
  const reads = lists.filter(({ methods }) => methods.includes("GET")).length;
  const writes = lists
    .filter(({ methods }) => methods.some((method) => method !== "GET"))
    .map(({ resource }) => resource);
  return { reads, writes };
}

/** Error of a new password and its repetition, or null. */
export function passwordProblem(password: string, again: string): string | null {
  if (password !== again) return text.password.different;
  return null;
}
