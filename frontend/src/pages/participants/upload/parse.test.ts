import { expect, test } from "vitest";
import { itemLines, MAX_BYTES, MAX_ITEMS, parse, parseCsv, parseJson, toCsv, tooLarge } from "./parse";

const FIELDS = ["subscriber", "filter"];

test("records keep the line that they begin in, over quoted line ends and empty lines", () => {
  const text = 'subscriber,filter\r\nalice,"low < 5\r\n and symbol = ""IBM"""\r\n\r\nbob,\r\n';
  expect(parseCsv(text, FIELDS)).toEqual({
    items: [
      { subscriber: "alice", filter: 'low < 5\r\n and symbol = "IBM"' },
      { subscriber: "bob", filter: "" },
    ],
    lines: [2, 5],
    troubles: [],
  });
});

test.each([
  ["", 1, /empty/],
  ["name,host\nx,y", 1, /subscriber, filter is missing/],
  ["subscriber,filter\na,b,c\nd,e", 2, /3 cells and not 2/],
  ['subscriber,filter\na,"b\nc', 2, /does not end/],
  ['subscriber,filter\na,"b"c', 2, /Double the quotes/],
])("what is wrong with %j is told with its line", (text, line, detail) => {
  const [trouble] = parseCsv(text, FIELDS).troubles;
  expect(trouble?.line).toBe(line);
  expect(trouble?.detail).toMatch(detail);
});

test("items of JSON have lines, whatever stands in their strings", () => {
  const text = '[\n  {"a": "x,\\"[{\\n"},\n\n  {"a":\n 2}, {"a": 3}\n]';
  expect(itemLines(text)).toEqual([2, 4, 5]);
  expect(parseJson(text).items).toHaveLength(3);
  expect(parseJson("[]").lines).toEqual([]);
  expect(parseJson('{"a": 1}').troubles[0]?.detail).toMatch(/no list/);
  expect(parseJson('[\n{"a" 1}\n]').troubles[0]?.line).toBe(2);
});

test("the form goes by the name, else by the first character", () => {
  expect(parse("x.json", '[{"a":1}]', []).items).toEqual([{ a: 1 }]);
  expect(parse("noname", '\ufeff[{"a":1}]', []).items).toEqual([{ a: 1 }]);
  expect(parse("x.csv", "a\n[1]", ["a"]).items).toEqual([{ a: "[1]" }]);
});

test("limits are told before anything is sent", () => {
  expect(tooLarge(MAX_BYTES, MAX_ITEMS)).toBeNull();
  expect(tooLarge(MAX_BYTES + 1, 1)).toMatch(/at most 32 MiB/);
  expect(tooLarge(1, MAX_ITEMS + 1)).toMatch(/50,001 items/);
});

test("what is written can be read again", () => {
  const text = toCsv(FIELDS, [["a,b", 'say "x"\nand more']]);
  expect(parseCsv(text, FIELDS).items).toEqual([{ subscriber: "a,b", filter: 'say "x"\nand more' }]);
});
