// Remedies for a failed request: helpful pages, and the repetition of its call.

import { api, type Schemas } from "@/api/client";
import { ProblemError } from "@/api/problems";
import type { NetworkRequest } from "@/api/request";
import { budgetsOf, type Page, pageOf } from "./kinds";
import { text } from "./text";

const BUDGET_CODE = "budget";

/** Pages where the user can remove the cause of a failure. */
export function helpfulPages(request: Pick<NetworkRequest, "kind" | "object" | "problem">): Page[] {
  const { problem } = request;
  const own = pageOf(request);
  const others = own ? [own] : [];
  if (problem && (problem.switches.length > 0 || problem.errors.some(({ code }) => code === BUDGET_CODE))) {
    const names = problem.switches;
    return [
      {
        label: names.length === 1 ? text.pages.budget(names[0] ?? "") : text.pages.budgets,
        to: names.length > 0 ? budgetsOf(names) : "/budgets",
      },
      { label: text.pages.policy, to: "/budgets?tab=policy" },
      ...others.filter(({ to }) => !to.startsWith("/budgets")),
    ];
  }
  return others;
}

/** Function that repeats the call of a request. Null if this is not possible, or the object was removed. */
export function repeatCall(request: NetworkRequest): (() => Promise<NetworkRequest | undefined>) | null {
  const { kind, object, asked } = request;
  const id = object?.id === null || object?.id === undefined ? null : String(object.id);
  if (kind === "set_aggregation" && asked?.method) {
    const method = asked.method as Schemas["PatchedPolicyChangeRequest"]["method"];
    return async () => (await api.PATCH("/api/v1/aggregation/", { body: { method } })).data as NetworkRequest;
  }
  if (id === null) return null;
  const path = { id };
  const change = (body: Schemas["PatchedSwitchChangeRequest"]) => async () =>
    (await api.PATCH("/api/v1/switches/{id}/", { params: { path }, body })).data as NetworkRequest;
  switch (kind) {
    case "set_budget":
      return change({ tcam_budget: asked?.tcam_budget ?? null });
    case "switch_up":
    case "switch_down":
      return change({ up: kind === "switch_up" });
    case "link_up":
    case "link_down":
      return async () =>
        (await api.PATCH("/api/v1/links/{id}/", { params: { path }, body: { up: kind === "link_up" } }))
          .data as NetworkRequest;
    case "subscribe":
      return () => subscribeAgain(id);
    case "advertise":
      return () => advertiseAgain(id);
    case "unsubscribe":
      return async () =>
        (await api.DELETE("/api/v1/subscriptions/{id}/", { params: { path } })).data as NetworkRequest;
    case "unadvertise":
      return async () =>
        (await api.DELETE("/api/v1/advertisements/{id}/", { params: { path } })).data as NetworkRequest;
    case "set_indexed": {
      const indexed = asked?.indexed;
      if (!indexed) return null;
      return async () =>
        (await api.PATCH("/api/v1/topics/{id}/", { params: { path }, body: { indexed } }))
          .data as NetworkRequest;
    }
    case "host_move": {
      const { switch: name, port } = asked ?? {};
      if (!name || port === null || port === undefined) return null;
      return async () =>
        (await api.PATCH("/api/v1/hosts/{id}/", { params: { path }, body: { switch: name, port } }))
          .data as NetworkRequest;
    }
    default:
      return null;
  }
}

/** Subscribe again, and delete the failed subscription. It never reached the network. */
async function subscribeAgain(id: string) {
  const params = { path: { id } };
  const { data: failed } = await api.GET("/api/v1/subscriptions/{id}/", { params });
  if (!failed) return undefined;
  const { subscriber, topic } = failed;
  const body = { subscriber, topic, filter: filterOf(failed) };
  const { data } = await api.POST("/api/v1/subscriptions/", { body });
  if (failed.state === "failed") await api.DELETE("/api/v1/subscriptions/{id}/", { params });
  return data as NetworkRequest;
}

async function advertiseAgain(id: string) {
  const params = { path: { id } };
  const { data: failed } = await api.GET("/api/v1/advertisements/{id}/", { params });
  if (!failed) return undefined;
  const { publisher, topic } = failed;
  const body = { publisher, topic, filter: filterOf(failed) };
  const { data } = await api.POST("/api/v1/advertisements/", { body });
  if (failed.state === "failed") await api.DELETE("/api/v1/advertisements/{id}/", { params });
  return data as NetworkRequest;
}

function filterOf({ filter }: { filter: string | null }): string {
  if (filter !== null) return filter;
  throw new ProblemError({
    status: 0,
    ...text.failure.noFilter,
    errors: [],
  });
}

interface Right {
  resource: string;
  method: "POST" | "PATCH" | "DELETE";
}

const RIGHTS: Record<string, Right> = {
  set_aggregation: { resource: "aggregation", method: "PATCH" },
  set_budget: { resource: "switches", method: "PATCH" },
  switch_up: { resource: "switches", method: "PATCH" },
  switch_down: { resource: "switches", method: "PATCH" },
  link_up: { resource: "links", method: "PATCH" },
  link_down: { resource: "links", method: "PATCH" },
  subscribe: { resource: "subscriptions", method: "POST" },
  advertise: { resource: "advertisements", method: "POST" },
  unsubscribe: { resource: "subscriptions", method: "DELETE" },
  unadvertise: { resource: "advertisements", method: "DELETE" },
  set_indexed: { resource: "topics", method: "PATCH" },
  host_move: { resource: "hosts", method: "PATCH" },
};

/** Permission that a user needs to repeat the call of a request. */
export function neededRight(kind: string): Right | null {
  return RIGHTS[kind] ?? null;
}
