// @vitest-environment jsdom

import { expect, test } from "vitest";
import { helpfulPages, neededRight, repeatCall } from "./remedy";

const problem = (switches: string[], code: string) => ({
  type: "",
  title: "",
  detail: "",
  remedy: "",
  switches,
  errors: [{ pointer: "", code, detail: "", value: null }],
});
const object = (type: string, name: string) => ({ type, name, id: 3, url: "" }) as never;

test("a request that exceeds budgets links to the budgets of these switches", () => {
  const found = helpfulPages({
    kind: "subscribe",
    object: object("subscription", "q3"),
    problem: problem(["s 1", "s2"], "budget") as never,
  });
  expect(found.map(({ to }) => to)).toEqual([
    "/budgets?select=s%201,s2",
    "/budgets?tab=policy",
    "/participants?tab=subscribers",
  ]);
});

test("another failure links to its object", () => {
  const found = helpfulPages({
    kind: "remove_topic",
    object: object("topic", "quotes"),
    problem: problem([], "in_use") as never,
  });
  expect(found).toEqual([{ label: "Topic quotes", to: "/topics/quotes" }]);
});

test("a call can be repeated only if it exists and its permission is known", () => {
  const asked = { tcam_budget: null, method: null, indexed: null, switch: null, port: null };
  const request = (kind: string, id: number | null, more = {}) =>
    ({
      kind,
      object: id === null ? null : { type: "switch", name: "s1", id, url: "" },
      asked: { ...asked, ...more },
    }) as never;
  for (const kind of ["set_budget", "subscribe", "advertise", "unsubscribe", "switch_up", "link_down"]) {
    expect(repeatCall(request(kind, 3)), kind).not.toBeNull();
    expect(neededRight(kind), kind).not.toBeNull();
    expect(repeatCall(request(kind, null)), kind).toBeNull();
  }
  expect(repeatCall(request("set_aggregation", null, { method: "la" }))).not.toBeNull();
  expect(repeatCall(request("aggregate", null, { method: "la" }))).toBeNull();
  expect(repeatCall(request("add_switch", 3))).toBeNull();
  expect(repeatCall(request("host_move", 3))).toBeNull();
  expect(repeatCall(request("host_move", 3, { switch: "s1", port: 4 }))).not.toBeNull();
});
