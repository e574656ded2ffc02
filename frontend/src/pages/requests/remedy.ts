// What to do about a failed request, and whether the same call can be made again.

import { api, type Schemas } from "@/api/client";
import { ProblemError } from "@/api/problems";
import type { NetworkRequest } from "@/api/request";
import { budgetsOf, type Page, pageOf } from "./kinds";

const ROOM = "budget";

/** The pages where something can be done against the reason of a failed request. */
export function helpfulPages(request: Pick<NetworkRequest, "kind" | "object" | "problem">): Page[] {
  const { problem } = request;
  const own = pageOf(request);
  const others = own ? [own] : [];
  if (problem && (problem.switches.length > 0 || problem.errors.some(({ code }) => code === ROOM))) {
    const names = problem.switches;
    return [
      {
        label: names.length === 1 ? `Budget of ${names[0]}` : "Budgets",
        to: names.length > 0 ? budgetsOf(names) : "/budgets",
      },
      { label: "Aggregation policy", to: "/budgets?tab=policy" },
      ...others.filter(({ to }) => !to.startsWith("/budgets")),
    ];
  }
  return others;
}

/** A call that says the same as the request did; null where there is none, or its object is gone. */
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

/** A failed announcement never reached the network: the same is asked for anew, and the failed one goes. */
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
    title: "It has no filter in words",
    detail: "Its host announced it as dz cells. Only that host can announce it again.",
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

/** What its caller needs to be allowed, to make the call of a request again. */
export function neededRight(kind: string): Right | null {
  return RIGHTS[kind] ?? null;
}
