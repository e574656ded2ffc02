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

test("records keep their first line, with quoted line ends and empty lines", () => {
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
  ["name,host\nx,y", 1, /Missing: subscriber, filter/],
  ["subscriber,filter\na,b,c\nd,e", 2, /3 fields instead of 2/],
  ['subscriber,filter\na,"b\nc', 2, /no closing quote/],
  ['subscriber,filter\na,"b"c', 2, /Double each quote inside a field/],
  ["subscriber;filter\na;b\nc;d", 1, /semicolons/],
  ['"subscriber";"filter"\r\na;b', 1, /semicolons/],
  ['\r\n"subscriber"\t"filter"\r\na\tb', 2, /tabs/],
  ["subscriber|filter\na|b", 1, /vertical bars/],
  ["sep=;\nsubscriber;filter\na;b", 1, /semicolons/],
])("the problem of %j has its line", (text, line, detail) => {
  const [trouble] = parseCsv(text, FIELDS).troubles;
  expect(trouble?.line).toBe(line);
  expect(trouble?.detail).toMatch(detail);
});

test("lines without a problem become items", () => {
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

test("text that is not UTF-8 is a problem with its line", () => {
  const text = 'a,b\nc,"Zürich \ufffd"\n';
  const bytes = (some: Uint8Array) => some.buffer.slice(some.byteOffset, some.byteOffset + some.byteLength);
  expect(decodeText(bytes(new TextEncoder().encode(text)) as ArrayBuffer)).toBe(text);
  const latin = Uint8Array.from([...'a,b\nc,"Zürich"\n'].map((character) => character.charCodeAt(0)));
  expect(decodeText(bytes(latin) as ArrayBuffer)).toMatchObject({
    line: 2,
    detail: expect.stringMatching(/UTF-8/),
  });
});

test("items of JSON have lines, whatever their strings contain", () => {
  const text = '[\n  {"a": "x,\\"[{\\n"},\n\n  {"a":\n 2}, {"a": 3}\n]';
  expect(itemLines(text)).toEqual([2, 4, 5]);
  expect(parseJson(text).items).toHaveLength(3);
  expect(parseJson("[]").lines).toEqual([]);
  expect(parseJson('{"a": 1}').troubles[0]?.detail).toMatch(/not a list/);
  expect(parseJson('[\n{"a" 1}\n]').troubles[0]?.line).toBe(2);
});

test("the format depends on the file name, or else on the first character", () => {
  expect(parse("x.json", '[{"a":1}]', []).items).toEqual([{ a: 1 }]);
  expect(parse("noname", '\ufeff[{"a":1}]', []).items).toEqual([{ a: 1 }]);
  expect(parse("x.csv", "a\n[1]", ["a"]).items).toEqual([{ a: "[1]" }]);
});

test("limits are checked before anything is sent", () => {
  expect(tooLarge(MAX_BYTES, MAX_ITEMS)).toBeNull();
  expect(tooLarge(MAX_BYTES + 1, 1)).toMatch(/limit is 32 MiB/);
  expect(tooLarge(1, MAX_ITEMS + 1)).toMatch(/50,001 items/);
});

test("written CSV can be read again", () => {
  const text = toPlainCsv(FIELDS, [["a,b", 'say "x"\nand more']]);
  expect(parseCsv(text, FIELDS).items).toEqual([{ subscriber: "a,b", filter: 'say "x"\nand more' }]);
});

test("a wrong separator is one problem; marks in cells and quoted headers are none", () => {
  expect(parse("x.csv", `\ufeffsubscriber;filter\n${"a;b\n".repeat(9)}`, FIELDS).troubles).toHaveLength(1);
  const quoted = parse("x.csv", '\ufeff"subscriber","filter"\na;b,"c\td|e"\n', FIELDS);
  expect(quoted.items).toEqual([{ subscriber: "a;b", filter: "c\td|e" }]);
});
