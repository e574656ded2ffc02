import { expect, test } from "vitest";
import { describeDomain, proposals } from "./completion";
import type { FilterAttribute } from "./grammar";

const TOPIC: FilterAttribute[] = [
  { name: "low", type: "int", min: 0, max: 1023 },
  { name: "side", type: "enum", values: ["buy", 'sell "short"'] },
  { name: "open", type: "bool" },
];
const labels = (before: string) => proposals(TOPIC, before).map(({ label }) => label);

test("names, operators and values of the topic are suggested where they are valid", () => {
  expect(labels("")).toEqual(["low", "side", "open", "not"]);
  expect(labels("low ")).toEqual(["=", "!=", "<", "<=", ">", ">=", "in"]);
  expect(labels("low <")).toEqual(["0", "1023"]);
  expect(labels("side =")).toEqual(['"buy"', '"sell \\"short\\""']);
  expect(labels("open =")).toEqual(["true", "false"]);
  expect(labels("low in")).toEqual(["(", "["]);
  expect(labels("side in")).toEqual(["("]);
  expect(labels("(low < 3")).toEqual(["and", "or", ")"]);
  expect(labels("low < 3")).toEqual(["and", "or"]);
  expect(labels("nothing like it <")).toEqual([]);
});

test("a domain has a short description", () => {
  expect(TOPIC.map(describeDomain)).toEqual(["int 0 … 1023", 'enum buy, sell "short"', "bool"]);
});
