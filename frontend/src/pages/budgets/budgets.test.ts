import { expect, test } from "vitest";
import { bestMethod, type Comparison, rowsBySwitch, withAnswer } from "./comparison/comparison";
import { formatChange, formatCopies, limit, load, readBudget, type Switch, sortSwitches } from "./figures";
import { refusalsOf } from "./switches/refusals";

const row = (name: string, tcam_budget: number | null, entries: number, capacity: number | null = null) =>
  ({ name, tcam_budget, capacity, entries, exact_entries: entries }) as Switch;

test("what a table may hold is the smaller of budget and capacity", () => {
  expect(limit(row("a", 100, 0))).toBe(100);
  expect(limit(row("a", 100, 0, 80))).toBe(80);
  expect(limit(row("a", null, 0, 80))).toBe(80);
  expect(limit(row("a", null, 0))).toBeNull();
  expect(load(row("a", 100, 25))).toBe(0.25);
  expect(load(row("a", 0, 0))).toBe(0);
  expect(load(row("a", 0, 3))).toBe(1);
  expect(load(row("a", null, 3))).toBeNull();
});

test("switches are ordered by what is asked, equal ones by name, numbers in names as numbers", () => {
  const rows = [row("s10", 100, 50), row("s2", 100, 50), row("s1", null, 9)];
  const names = (ordering: string, needless = new Map<string, number | null>()) =>
    sortSwitches(rows, ordering, needless).map(({ name }) => name);
  expect(names("name")).toEqual(["s1", "s2", "s10"]);
  expect(names("-name")).toEqual(["s10", "s2", "s1"]);
  expect(names("-load")).toEqual(["s2", "s10", "s1"]);
  expect(names("-budget")).toEqual(["s1", "s2", "s10"]);
  expect(names("-needless", new Map([["s10", 0.5]]))).toEqual(["s10", "s1", "s2"]);
});

test("budgets are read as whole numbers only", () => {
  expect(readBudget("300")).toBe(300);
  expect(readBudget(0)).toBe(0);
  for (const text of ["", "-1", "1.5", "1e3", "10000001", "many"]) expect(readBudget(text), text).toBeNull();
});

test("figures are told short", () => {
  expect(formatCopies(null)).toBe("–");
  expect(formatCopies(0)).toBe("0");
  expect(formatCopies(0.0001)).toBe("<0.001");
  expect(formatCopies(1.23456)).toMatch(/^1.23$/);
  expect(formatChange(4, 3)).toBe("−25 %");
  expect(formatChange(0, 3)).toBe("");
  expect(formatChange(3, 3)).toBe("±0 %");
});

const answer = (after: number | null, unmet: string[], switches: object[] = [], unwanted = 0) =>
  ({ needless: { before: 1, after }, unwanted: { before: 0, after: unwanted }, unmet, switches }) as never;

test("the best method is the one that costs least among those that hold", () => {
  expect(bestMethod({ la: answer(0.1, ["s1"]), "fa-lb": answer(0.5, []), "fa-pb": answer(0.4, []) })).toBe(
    "fa-pb",
  );
  expect(bestMethod({ la: answer(0.1, [], [], 1), "fa-lb": answer(0.2, []) })).toBe("fa-lb");
  expect(bestMethod({ la: answer(null, []) })).toBeNull();
  expect(bestMethod({})).toBeNull();
});

test("each switch has what every method makes of it, the most merged first", () => {
  const one = (name: string, exact: number, after: number) => ({
    ...{ switch: name, tcam_budget: 10, exact, before: exact, after },
    ...{ needless_before: 0, needless_after: 0.5 },
  });
  const rows = rowsBySwitch({
    la: answer(1, ["b"], [one("a", 20, 10), one("b", 50, 12)]),
    optimal: answer(1, [], [one("a", 20, 9)]),
  });
  expect(rows.map(({ name }) => name)).toEqual(["b", "a"]);
  expect(rows[1]?.by.la?.entries).toBe(10);
  expect(rows[1]?.by.optimal?.entries).toBe(9);
  expect(rows[0]?.by.la?.unmet).toBe(true);
  expect(rows[0]?.by.optimal).toBeUndefined();
});

test("an answer takes the place of an error", () => {
  const none: Comparison = { terms: {}, answers: {}, errors: {}, now: "la", waiting: [] };
  const failed = withAnswer(none, "la", { error: new Error("busy") });
  expect(failed.errors.la).toBeInstanceOf(Error);
  const mended = withAnswer(failed, "la", { answer: answer(1, []) });
  expect(mended.errors.la).toBeUndefined();
  expect(mended.answers.la).toBeDefined();
});

test("refused budgets are named in the order in which JSON has the switches", () => {
  const cost = {
    results: [
      { index: 0, accepted: true },
      { index: 1, accepted: false, detail: "too few" },
    ],
  };
  expect(refusalsOf(["b", "a"], cost as never)).toEqual([{ name: "a", detail: "too few" }]);
  expect(refusalsOf(["b", "7"], cost as never)).toEqual([{ name: "b", detail: "too few" }]);
});
