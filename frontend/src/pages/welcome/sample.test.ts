import { expect, test } from "vitest";
import { sample } from "./sample";

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
  ['price in (1, 2) and symbol = "a \\"b"', { low: 500_000, price: 1.5, symbol: 'a "b', side: "buy" }],
])("an event of %j is among what may be sent", (filter, values) =>
  expect(sample([low, price, symbol, side], filter)).toEqual(values),
);
