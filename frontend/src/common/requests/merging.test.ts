import { expect, test } from "vitest";
import { describeMerging, predictedCost } from "./merging";

const known = {
  merged: 3,
  unmerged: 0,
  switches: ["s1", "s2"],
  together: 1,
  topics: ["quotes"],
  events: 200,
  unwanted: 0.12345,
  needless: 0,
  unwanted_per_second: 2.5,
  reason: "",
};

test("the description of merged entries names the first switches", () => {
  expect(describeMerging(known)).toBe("merging saves 3 more entries, on s1, s2");
  expect(describeMerging({ ...known, merged: 0, unmerged: 1 })).toBe(
    "merging saves 1 fewer entry, on s1, s2",
  );
  expect(describeMerging({ ...known, merged: 0 })).toBe("merged entries changed, on s1, s2");
  const many = Array.from({ length: 9 }, (_, n) => `s${n}`);
  expect(describeMerging({ ...known, switches: many })).toContain("s5 and 3 more");
});

test("the predicted cost has units, and a reason where it is unknown", () => {
  expect(predictedCost(known)).toBe(
    "Predicted cost per event: 0.123 false positives (2.5 per second) and 0 redundant copies.",
  );
  const unknown = { ...known, unwanted: null, needless: null, unwanted_per_second: null };
  expect(predictedCost({ ...unknown, reason: "unknown: no events." })).toBe(
    "The predicted cost is unknown: no events.",
  );
  expect(predictedCost({ ...known, unwanted_per_second: null, reason: "the rate is unknown." })).toContain(
    "redundant copies. The rate is unknown.",
  );
  expect(predictedCost({ ...known, together: 4 })).toContain(
    "This is the total of 4 requests, which the platform planned together.",
  );
});
