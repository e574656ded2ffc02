import { expect, test } from "vitest";
import { QUOTED, unquote } from "./literals";

test.each([
  ['"IBM"', "IBM"],
  ['"a \\"b\\" \\\\ c"', 'a "b" \\ c'],
  ['"a\tb\nc"', "a\tb\nc"],
  ['""', ""],
])("%j is decoded as %j", (literal, text) => {
  expect(new RegExp(`^${QUOTED}$`).test(literal)).toBe(true);
  expect(unquote(literal)).toBe(text);
});
