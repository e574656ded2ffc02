import { expect, test } from "vitest";
import { span, steps, total } from "./stages";

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, 0, ms)).toISOString();
const stage = { received: at(0), started: at(63), computed: at(148), confirmed: at(2_148) };

test("each stage has the time since the previous stage", () => {
  expect(steps(stage).map(({ took }) => took)).toEqual([null, 63, 85, 2_000]);
  expect(total(stage)).toBe(2_148);
  const failed = { ...stage, confirmed: null };
  expect(steps(failed).at(-1)).toMatchObject({ at: null, took: null });
  expect(total(failed)).toBe(148);
  expect(total({ ...failed, computed: null })).toBeNull();
});

test.each([
  [null, "–"],
  [0.4, "<1 ms"],
  [12.4, "12 ms"],
  [1_240, "1.2 s"],
  [9_960, "10 s"],
  [59_700, "1 min 0 s"],
  [185_000, "3 min 5 s"],
  [7_440_000, "2 h 4 min"],
])("%s ms is formatted as %s", (ms, words) => expect(span(ms)).toBe(words));
