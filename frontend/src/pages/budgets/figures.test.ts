import { expect, test } from "vitest";
import { formatChange, formatCopies, limit, load, readBudget, type Switch, sortSwitches } from "./figures";

const row = (name: string, tcam_budget: number | null, entries: number, capacity: number | null = null) =>
  ({ name, tcam_budget, capacity, entries, exact_entries: entries }) as Switch;

test("the limit of a table is the smaller of budget and capacity", () => {
  expect(limit(row("a", 100, 0))).toBe(100);
  expect(limit(row("a", 100, 0, 80))).toBe(80);
  expect(limit(row("a", null, 0, 80))).toBe(80);
  expect(limit(row("a", null, 0))).toBeNull();
  expect(load(row("a", 100, 25))).toBe(0.25);
  expect(load(row("a", 0, 0))).toBe(0);
  expect(load(row("a", 0, 3))).toBe(1);
  expect(load(row("a", null, 3))).toBeNull();
});

test("switches are sorted by the field, then by name with numbers as numbers", () => {
  const rows = [row("s10", 100, 50), row("s2", 100, 50), row("s1", null, 9)];
  const names = (ordering: string, needless = new Map<string, number | null>()) =>
    sortSwitches(rows, ordering, needless).map(({ name }) => name);
  expect(names("name")).toEqual(["s1", "s2", "s10"]);
  expect(names("-name")).toEqual(["s10", "s2", "s1"]);
  expect(names("-load")).toEqual(["s2", "s10", "s1"]);
  expect(names("-budget")).toEqual(["s1", "s2", "s10"]);
  expect(names("-needless", new Map([["s10", 0.5]]))).toEqual(["s10", "s1", "s2"]);
});

test("a budget is a whole number", () => {
  expect(readBudget("300")).toBe(300);
  expect(readBudget(0)).toBe(0);
  for (const text of ["", "-1", "1.5", "1e3", "10000001", "many"]) expect(readBudget(text), text).toBeNull();
});

test("figures have few digits", () => {
  expect(formatCopies(null)).toBe("–");
  expect(formatCopies(0)).toBe("0");
  expect(formatCopies(0.0001)).toBe("<0.001");
  expect(formatCopies(1.23456)).toMatch(/^1.23$/);
  expect(formatChange(4, 3)).toBe("−25 %");
  expect(formatChange(0, 3)).toBe("");
  expect(formatChange(3, 3)).toBe("±0 %");
});
