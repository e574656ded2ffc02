// Roles, scopes and expiries, in words.

export const ROLES: Record<string, string> = {
  viewer: "May see everything and ask questions.",
  operator: "May see everything, and change the network: topics, publishers, subscribers, budgets, runs.",
  administrator: "May do all: change the network, and manage users and all tokens.",
};

export const SCOPES = [
  { value: "read", label: "read", what: "reading, questions and the live stream", role: "viewer" },
  {
    value: "write",
    label: "write",
    what: "what operators may change; reading needs read beside it",
    role: "operator",
  },
  { value: "admin", label: "admin", what: "what administrators may do", role: "administrator" },
] as const;

const ORDER = ["viewer", "operator", "administrator"];

/** The scopes that mean something to a role. */
export function scopesOf(role: string): (typeof SCOPES)[number][] {
  return SCOPES.filter((scope) => ORDER.indexOf(scope.role) <= ORDER.indexOf(role));
}

export const EXPIRIES = [
  { value: "1", label: "in a day" },
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: "", label: "never" },
] as const;

/** When a token of so many days ends; null for never. */
export function expiryOf(days: string, now: number): string | null {
  return days === "" ? null : new Date(now + Number(days) * 86_400_000).toISOString();
}

/** How many resources somebody may read, and which may be changed; what is done with a single row belongs to its list. */
export function sumOf(may: readonly { resource: string; methods: readonly string[] }[]) {
  const lists = may.filter(({ resource }) => !resource.includes("{"));
  const reads = lists.filter(({ methods }) => methods.includes("GET")).length;
  const writes = lists
    .filter(({ methods }) => methods.some((method) => method !== "GET"))
    .map(({ resource }) => resource);
  return { reads, writes };
}

/** Why a new password is not taken yet; null when it may be sent. */
export function passwordProblem(password: string, again: string): string | null {
  if (password !== again) return "The two are not the same.";
  return null;
}
