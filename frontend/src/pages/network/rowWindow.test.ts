import { expect, test } from "vitest";
import { rowsInView } from "./rowWindow";

test("rows in view are drawn, and ten more above and below", () => {
  expect(rowsInView(0, 400, 1_000, 40)).toEqual({ first: 0, end: 20 });
  expect(rowsInView(2_000, 400, 1_000, 40)).toEqual({ first: 40, end: 70 });
});

test("a row that is partly in view is drawn", () => {
  expect(rowsInView(2_020, 400, 1_000, 40)).toEqual({ first: 40, end: 71 });
});

test("the drawn rows end with the list, also while it is scrolled past a list that became shorter", () => {
  expect(rowsInView(39_600, 400, 1_000, 40)).toEqual({ first: 980, end: 1_000 });
  expect(rowsInView(39_600, 400, 5, 40)).toEqual({ first: 5, end: 5 });
  expect(rowsInView(0, 400, 0, 40)).toEqual({ first: 0, end: 0 });
});
