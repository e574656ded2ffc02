import { expect, test } from "vitest";
import { expectedAfter, operators, quote, tokens, unitOffset } from "./grammar";

const next = (text: string) => expectedAfter(tokens(text));

test("tokens have kinds and positions", () => {
  expect(tokens('low >= -1.5e3 AND s = "a\\"b"').map(({ kind, text, from }) => [kind, text, from])).toEqual([
    ["name", "low", 0],
    ["operator", ">=", 4],
    ["number", "-1.5e3", 7],
    ["keyword", "AND", 14],
    ["name", "s", 18],
    ["operator", "=", 20],
    ["string", '"a\\"b"', 22],
  ]);
  expect(tokens('s = "open').at(-1)).toMatchObject({ kind: "string", text: '"open' });
});

test.each([
  ["", { part: "test" }],
  ["not (", { part: "test" }],
  ["low", { part: "operator", attribute: "low" }],
  ["low <", { part: "value", attribute: "low", list: false }],
  ["low in", { part: "list", attribute: "low" }],
  ["low in (1,", { part: "value", attribute: "low", list: true }],
  ["low in [1, 2)", { part: "join", open: false }],
  ["(low < 3", { part: "join", open: true }],
  ["(low < 3)", { part: "join", open: false }],
  ["low < 3 or", { part: "test" }],
  ['symbol prefix "A" and not symbol', { part: "operator", attribute: "symbol" }],
  ["true", { part: "join", open: false }],
  ["low 3", { part: "nothing" }],
])("after %j comes %j", (text, wanted) => {
  expect(next(text)).toEqual(wanted);
});

test("operators depend on the type", () => {
  expect(operators({ name: "b", type: "bool" })).toEqual(["=", "!="]);
  expect(operators({ name: "s", type: "string" })).toContain("prefix");
  expect(operators({ name: "n", type: "int", min: 0, max: 9 })).not.toContain("prefix");
});

test("texts are quoted, and positions count characters like the server", () => {
  expect(quote('a"b\\')).toBe('"a\\"b\\\\"');
  expect(unitOffset("😀a", 1)).toBe(2);
  expect(unitOffset("abc", 9)).toBe(3);
});
