import { expect, test } from "vitest";
import {
  decodeText,
  itemLines,
  MAX_BYTES,
  MAX_ITEMS,
  parse,
  parseCsv,
  parseJson,
  tooLarge,
  toPlainCsv,
} from "./parser";

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
  ["subscriber;filter\na;b\nc;d", 1, /semicolons/],
  ['"subscriber";"filter"\r\na;b', 1, /semicolons/],
  ['\r\n"subscriber"\t"filter"\r\na\tb', 2, /tabs/],
  ["subscriber|filter\na|b", 1, /vertical bars/],
  ["sep=;\nsubscriber;filter\na;b", 1, /semicolons/],
])("what is wrong with %j is told with its line", (text, line, detail) => {
  const [trouble] = parseCsv(text, FIELDS).troubles;
  expect(trouble?.line).toBe(line);
  expect(trouble?.detail).toMatch(detail);
});

test("the lines without trouble are items all the same", () => {
  const wrong = parseCsv("subscriber,filter\na,b,c\nd,e\n\nf\ng,h\n", FIELDS);
  expect(wrong.items).toEqual([
    { subscriber: "d", filter: "e" },
    { subscriber: "g", filter: "h" },
  ]);
  expect(wrong.lines).toEqual([3, 6]);
  expect(wrong.troubles.map(({ line }) => line)).toEqual([2, 5]);
  const open = parseCsv('subscriber,filter\na,b\nc,"d\n', FIELDS);
  expect(open.items).toEqual([{ subscriber: "a", filter: "b" }]);
  expect(open.troubles.map(({ line }) => line)).toEqual([3]);
});

test("what is not UTF-8 is told by its line and never read as something else", () => {
  const text = 'a,b\nc,"Zürich \ufffd"\n';
  const bytes = (some: Uint8Array) => some.buffer.slice(some.byteOffset, some.byteOffset + some.byteLength);
  expect(decodeText(bytes(new TextEncoder().encode(text)) as ArrayBuffer)).toBe(text);
  const latin = Uint8Array.from([...'a,b\nc,"Zürich"\n'].map((character) => character.charCodeAt(0)));
  expect(decodeText(bytes(latin) as ArrayBuffer)).toMatchObject({
    line: 2,
    detail: expect.stringMatching(/UTF-8/),
  });
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
  const text = toPlainCsv(FIELDS, [["a,b", 'say "x"\nand more']]);
  expect(parseCsv(text, FIELDS).items).toEqual([{ subscriber: "a,b", filter: 'say "x"\nand more' }]);
});

test("a wrong separator is told once; other marks in cells and quoted headings are no fault", () => {
  expect(parse("x.csv", `\ufeffsubscriber;filter\n${"a;b\n".repeat(9)}`, FIELDS).troubles).toHaveLength(1);
  const quoted = parse("x.csv", '\ufeff"subscriber","filter"\na;b,"c\td|e"\n', FIELDS);
  expect(quoted.items).toEqual([{ subscriber: "a;b", filter: "c\td|e" }]);
});
