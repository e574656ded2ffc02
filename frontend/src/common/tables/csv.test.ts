import { expect, test } from "vitest";
import { toCsv } from "./csv";

test("commas, quotes and line ends are quoted, and a missing value is an empty field", () => {
  expect(
    toCsv(
      ["a", "b"],
      [
        ['say "no"', "x,y"],
        [1.5, null],
        ["two\nlines", undefined],
      ],
    ),
  ).toBe('a,b\r\n"say ""no""","x,y"\r\n1.5,\r\n"two\nlines",\r\n');
});

test("a name that a spreadsheet would execute stays a text; numbers stay numbers", () => {
  expect(toCsv(["name", "n"], [["=1+1", -2]])).toBe("name,n\r\n'=1+1,-2\r\n");
});
