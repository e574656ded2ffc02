import { expect, test } from "vitest";
import {
  type Attribute,
  asFields,
  asValues,
  describeValues,
  formatEvent,
  readValues,
} from "@/common/formatting/event";
import { type Explanation, type Hop, hostOutcomes, purposeOf, summary, treeOf } from "./explanation";

const attributes = [
  { name: "low", type: "int", min: 0, max: 1023 },
  { name: "high", type: "float", min: 0, max: 1 },
  { name: "open", type: "bool" },
  { name: "side", type: "enum", values: ["buy", "sell"] },
  { name: "symbol", type: "string" },
] as Attribute[];

test("fields convert to values of their types and back", () => {
  const fields = { low: " 92 ", high: "0.5", open: "true", side: "buy", symbol: "IBM" };
  const values = asValues(fields, attributes);
  expect(values).toEqual({ low: 92, high: 0.5, open: true, side: "buy", symbol: "IBM" });
  expect(asFields(values)).toEqual({ ...fields, low: "92" });
  expect(readValues(JSON.stringify(values))).toEqual(values);
});

test("integers that JavaScript cannot represent exactly stay text", () => {
  expect(asValues({ low: "9007199254740993" }, attributes.slice(0, 1))).toEqual({ low: "9007199254740993" });
  expect(asValues({ low: "+9007199254740993" }, attributes.slice(0, 1))).toEqual({ low: "9007199254740993" });
});

test("empty fields are left out, and invalid numbers are sent as typed", () => {
  expect(asValues({ low: "", high: "a lot", open: "", side: "" }, attributes)).toEqual({
    high: "a lot",
    symbol: "",
  });
  expect(asValues({ low: "1.5" }, attributes.slice(0, 1))).toEqual({ low: "1.5" });
});

test.each(["", "x", "[1]", "null", "7"])("the address %j contains no event", (text) =>
  expect(readValues(text)).toBeNull(),
);

test("domains and events have a short form", () => {
  expect(attributes.map(describeValues)).toEqual(["0 to 1023", "0 to 1", "", "", "any text"]);
  expect(formatEvent({ low: 92, symbol: "IBM" })).toBe("low 92, symbol IBM");
});

const output = (port: number, next: number | null, more = {}) => ({
  ...{ port, next_hop: next, next_switch: null, next_port: null, host: null, problem: null },
  ...{ matching: [], matching_count: 0, truncated: [], truncated_count: 0, ...more },
});
const hop = (number: number, from: number | null, name: string, outputs: object[]) =>
  ({
    hop: number,
    from_hop: from,
    switch: name,
    in_port: 1,
    entry: null,
    origin: null,
    outputs,
  }) as unknown as Hop;

test("hops become a tree, and a loop ends", () => {
  const path = [
    hop(0, null, "s1", [output(1, 1), output(2, 2)]),
    hop(1, 0, "s2", [output(3, null)]),
    hop(2, 0, "s3", [output(1, 0)]),
  ];
  const tree = treeOf(path);
  expect(tree?.outputs.map(({ next }) => next?.hop.switch)).toEqual(["s2", "s3"]);
  expect(tree?.outputs[1]?.next?.outputs[0]?.next).toBeNull();
  expect(treeOf([])).toBeNull();
});

test("the purpose of a copy is a match, else a dz set, else none", () => {
  const purpose = (more: object) => purposeOf(output(1, null, more) as never);
  expect(purpose({ matching_count: 2, truncated_count: 1 })).toBe("match");
  expect(purpose({ truncated_count: 1 })).toBe("truncation");
  expect(purpose({})).toBe("nobody");
});

const verdict = (host: string, reason: string) => ({
  host,
  reason,
  copies: 1,
  detail: "",
  subscriptions: [],
});
const explained = (received: object[], not_received: object[], problem: string | null = null) =>
  ({ event: { problem }, received, not_received }) as unknown as Explanation;

test("hosts are in the order of their reasons", () => {
  const found = hostOutcomes(
    explained(
      [verdict("h10", "match"), verdict("h2", "match"), verdict("h1", "aggregation")],
      [verdict("h3", "no_subscription"), verdict("h4", "entry_missing")],
    ),
  );
  expect(found.map(({ host }) => host)).toEqual(["h2", "h10", "h1", "h4", "h3"]);
  expect(found.map(({ received }) => received)).toEqual([true, true, true, false, false]);
});

test("a host does not receive an event that a real switch drops", () => {
  const real = {
    lost: [{ host: "h2", at_switch: "s2" }],
    differences: [{ kind: "entry_missing", switch: "s2", in_port: 1, detail: "s2 has no entry" }],
  };
  const found = { ...explained([verdict("h1", "match"), verdict("h2", "match")], []), real } as Explanation;
  const outcomes = hostOutcomes(found).map(({ host, received, reason }) => [host, received, reason]);
  expect(outcomes).toEqual([
    ["h1", true, "match"],
    ["h2", false, "entry_missing"],
  ]);
  expect(summary(found)).toBe(
    "1 host with a matching subscription receives the event. " +
      "1 host with a matching subscription does not receive the event.",
  );
});

test("the summary counts deliveries, false positives and missing deliveries", () => {
  expect(
    summary(explained([verdict("a", "match"), verdict("b", "truncation")], [verdict("c", "entry_missing")])),
  ).toBe(
    "1 host with a matching subscription receives the event. 1 host receives it as a false positive. " +
      "1 host with a matching subscription does not receive the event.",
  );
  expect(summary(explained([], [verdict("c", "no_match")]))).toBe(
    "The event reaches no host with a matching subscription.",
  );
  expect(summary(explained([], [], "outside_advertisement"))).toBe(
    "The event is not sent: it is outside the advertisement.",
  );
});
