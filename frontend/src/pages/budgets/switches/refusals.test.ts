import { expect, test } from "vitest";
import { refusalsOf } from "./refusals";

test("refused budgets have the names of the switches in the order of JSON", () => {
  const cost = {
    results: [
      { index: 0, accepted: true },
      { index: 1, accepted: false, detail: "too few" },
    ],
  };
  expect(refusalsOf(["b", "a"], cost as never)).toEqual([{ name: "a", detail: "too few" }]);
  expect(refusalsOf(["b", "7"], cost as never)).toEqual([{ name: "b", detail: "too few" }]);
});
