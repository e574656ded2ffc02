import { expect, test } from "vitest";
import { rounded, sample } from "./sample";

const low = { name: "low", type: "int", min: 0, max: 1_000_000 };
const price = { name: "price", type: "float", min: 0, max: 10 };
const symbol = { name: "symbol", type: "string" };
const side = { name: "side", type: "enum", values: ["buy", "sell"] };

test.each([
  ["", { low: 500_000, price: 5, symbol: "A", side: "buy" }],
  ["low < 100 and price >= 9", { low: 50, price: 9.5, symbol: "A", side: "buy" }],
  ['low in [7, 8] and symbol prefix "AB"', { low: 8, price: 5, symbol: "AB", side: "buy" }],
  ["low < 500 and low >= 10 and low < 100", { low: 55, price: 5, symbol: "A", side: "buy" }],
  ['low = 3 and side in {"sell", "buy"}', { low: 3, price: 5, symbol: "A", side: "sell" }],
  ['symbol = "a\tb\nc"', { low: 500_000, price: 5, symbol: "a\tb\nc", side: "buy" }],
  ['price in (1, 2) and symbol = "a \\"b"', { low: 500_000, price: 1, symbol: 'a "b', side: "buy" }],
  ["low in (7, 9) and price == 2.5", { low: 7, price: 2.5, symbol: "A", side: "buy" }],
  ["low >= 5.5 and low < 7", { low: 6, price: 5, symbol: "A", side: "buy" }],
  ["low > 6 and low <= 7", { low: 7, price: 5, symbol: "A", side: "buy" }],
  ["low in [5.5, 7)", { low: 6, price: 5, symbol: "A", side: "buy" }],
])("a sample event matches %j", (filter, values) =>
  expect(sample([low, price, symbol, side], filter)).toEqual(values),
);

const large = { name: "n", type: "int", min: 0, max: "18446744073709551615" };

test.each([
  ["n = 9007199254740993", "9007199254740993"],
  ["n = 9007199254740993.0", "9007199254740993"],
  ["n > 9007199254740992.5 and n < 9007199254740993.5", "9007199254740993"],
  ["n in [9007199254740993, 9007199254740995)", "9007199254740994"],
  ["n >= 1e19", "14223372036854775808"],
  ["n < 3", 1],
  ["n <= 1e-400", 0],
])("a large integer of %j is exact", (filter, value) =>
  expect(sample([large], filter)).toEqual({ n: value }),
);

test.each([
  ["1.0", 1n, 1n],
  ["-1.5", -2n, -1n],
  ["12.345e1", 123n, 124n],
  ["0.0001", 0n, 1n],
  ["-1e-400", -1n, 0n],
  ["1.5e3", 1500n, 1500n],
  ["9007199254740992.50", 9007199254740992n, 9007199254740993n],
])("%s is between two integers", (text, down, up) =>
  expect([rounded(text, "down"), rounded(text, "up")]).toEqual([down, up]),
);
