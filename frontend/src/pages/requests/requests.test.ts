import { expect, test } from "vitest";
import { kindWords, pageOf } from "./kinds";
import { asField, fromField } from "./range";
import { helpfulPages, neededRight, repeatCall } from "./remedy";
import { span, steps, total } from "./stages";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, 0, ms)).toISOString();
const stage = { received: at(0), started: at(63), computed: at(148), confirmed: at(2_148) };

test("stages tell how long it took from one to the next", () => {
  expect(steps(stage).map(({ took }) => took)).toEqual([null, 63, 85, 2_000]);
  expect(total(stage)).toBe(2_148);
  const failed = { ...stage, confirmed: null };
  expect(steps(failed).at(-1)).toMatchObject({ at: null, took: null });
  expect(total(failed)).toBe(148);
  expect(total({ ...failed, computed: null })).toBeNull();
});

test.each([
  [null, "–"],
  [0.4, "<1 ms"],
  [12.4, "12 ms"],
  [1_240, "1.2 s"],
  [9_960, "10 s"],
  [59_700, "1 min 0 s"],
  [185_000, "3 min 5 s"],
  [7_440_000, "2 h 4 min"],
])("%s ms is told as %s", (ms, words) => expect(span(ms)).toBe(words));

const problem = (switches: string[], code: string) => ({
  type: "",
  title: "",
  detail: "",
  remedy: "",
  switches,
  errors: [{ pointer: "", code, detail: "", value: null }],
});
const object = (type: string, name: string) => ({ type, name, id: 3, url: "" }) as never;

test("a request without room leads to the budgets of the switches that it failed at", () => {
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

test("another failure leads to what it is about", () => {
  const found = helpfulPages({
    kind: "remove_topic",
    object: object("topic", "quotes"),
    problem: problem([], "in_use") as never,
  });
  expect(found).toEqual([{ label: "Topic quotes", to: "/topics/quotes" }]);
});

test("the same call is offered only where there is one, and its right is known", () => {
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

test("what has no page has no link, and unknown kinds are shown as they are", () => {
  expect(pageOf({ kind: "finish_move", object: null })).toBeNull();
  expect(pageOf({ kind: "set_budget", object: object("switch", "a&b") })?.to).toBe("/budgets?select=a%26b");
  expect(kindWords("something_new")).toBe("something_new");
});

test("times of the address and of the field go over into each other", () => {
  const field = asField(at(0));
  expect(field).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  expect(fromField(field)).toBe(at(0));
  expect(asField("nonsense")).toBe("");
  expect(fromField("")).toBeNull();
});
