// @vitest-environment jsdom

import { expect, test } from "vitest";
import { bestMethod, type Comparison, rowsBySwitch, withAnswer } from "./comparison";

const answer = (after: number | null, unmet: string[], switches: object[] = [], unwanted = 0) =>
  ({ needless: { before: 1, after }, unwanted: { before: 0, after: unwanted }, unmet, switches }) as never;

test("the best method has the lowest cost among those for which all budgets fit", () => {
  expect(bestMethod({ la: answer(0.1, ["s1"]), "fa-lb": answer(0.5, []), "fa-pb": answer(0.4, []) })).toBe(
    "fa-pb",
  );
  expect(bestMethod({ la: answer(0.1, [], [], 1), "fa-lb": answer(0.2, []) })).toBe("fa-lb");
  expect(bestMethod({ la: answer(null, []) })).toBeNull();
  expect(bestMethod({})).toBeNull();
});

test("each switch has a result for every method, and most merged switches are first", () => {
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

test("an answer replaces an error", () => {
  const none: Comparison = { terms: {}, answers: {}, errors: {}, now: "la", waiting: [] };
  const failed = withAnswer(none, "la", { error: new Error("busy") });
  expect(failed.errors.la).toBeInstanceOf(Error);
  const retried = withAnswer(failed, "la", { answer: answer(1, []) });
  expect(retried.errors.la).toBeUndefined();
  expect(retried.answers.la).toBeDefined();
});
