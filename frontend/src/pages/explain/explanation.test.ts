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

test("fields become values of their types, and come back the same", () => {
  const fields = { low: " 92 ", high: "0.5", open: "true", side: "buy", symbol: "IBM" };
  const values = asValues(fields, attributes);
  expect(values).toEqual({ low: 92, high: 0.5, open: true, side: "buy", symbol: "IBM" });
  expect(asFields(values)).toEqual({ ...fields, low: "92" });
  expect(readValues(JSON.stringify(values))).toEqual(values);
});

test("integers that JavaScript does not keep exactly stay text", () => {
  expect(asValues({ low: "9007199254740993" }, attributes.slice(0, 1))).toEqual({ low: "9007199254740993" });
  expect(asValues({ low: "+9007199254740993" }, attributes.slice(0, 1))).toEqual({ low: "9007199254740993" });
});

test("what is missing is left out, and what is no number goes as it was typed", () => {
  expect(asValues({ low: "", high: "a lot", open: "", side: "" }, attributes)).toEqual({
    high: "a lot",
    symbol: "",
  });
  expect(asValues({ low: "1.5" }, attributes.slice(0, 1))).toEqual({ low: "1.5" });
});

test.each(["", "x", "[1]", "null", "7"])("the address %j says no event", (text) =>
  expect(readValues(text)).toBeNull(),
);

test("domains and events are told in short", () => {
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

test("hops become a tree, and a loop does not go on for ever", () => {
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

test("a copy is for those who want it, else for those whose dz hold it, else for nobody", () => {
  const whom = (more: object) => purposeOf(output(1, null, more) as never);
  expect(whom({ matching_count: 2, truncated_count: 1 })).toBe("match");
  expect(whom({ truncated_count: 1 })).toBe("truncation");
  expect(whom({})).toBe("nobody");
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

test("hosts come in the order of what became of them", () => {
  const found = hostOutcomes(
    explained(
      [verdict("h10", "match"), verdict("h2", "match"), verdict("h1", "aggregation")],
      [verdict("h3", "no_subscription"), verdict("h4", "entry_missing")],
    ),
  );
  expect(found.map(({ host }) => host)).toEqual(["h2", "h10", "h1", "h4", "h3"]);
  expect(found.map(({ received }) => received)).toEqual([true, true, true, false, false]);
});

test("a host that a real switch keeps the event from does not get it", () => {
  const real = {
    lost: [{ host: "h2", at_switch: "s2" }],
    differences: [{ kind: "entry_missing", switch: "s2", in_port: 1, detail: "s2 has no entry" }],
  };
  const found = { ...explained([verdict("h1", "match"), verdict("h2", "match")], []), real } as Explanation;
  const told = hostOutcomes(found).map(({ host, received, reason }) => [host, received, reason]);
  expect(told).toEqual([
    ["h1", true, "match"],
    ["h2", false, "entry_missing"],
  ]);
  expect(summary(found)).toBe("1 host wants it and gets it; 1 host wants it and does not get it.");
});

test("the summary says who gets it, needlessly or not, and who misses it", () => {
  expect(
    summary(explained([verdict("a", "match"), verdict("b", "truncation")], [verdict("c", "entry_missing")])),
  ).toBe("1 host wants it and gets it; 1 host gets it needlessly; 1 host wants it and does not get it.");
  expect(summary(explained([], [verdict("c", "no_match")]))).toBe("No host that wants it gets it.");
  expect(summary(explained([], [], "outside_advertisement"))).toBe(
    "It is not sent: outside the advertisement.",
  );
});
