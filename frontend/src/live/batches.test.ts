import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Batches } from "./batches";
import type { LiveEvent } from "./stream";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const event = (id: number, kind: string): LiveEvent => ({ id, kind, payload: {}, at: "" });

test("listeners receive the events of their kinds once per second, in order", () => {
  const batches = new Batches(1_000);
  const got: number[][] = [];
  batches.listen(["tables"], (events) => got.push(events.map(({ id }) => id)));
  batches.add(event(1, "tables"));
  vi.advanceTimersByTime(0);
  for (const id of [2, 3, 4]) batches.add(event(id, id === 3 ? "alarm" : "tables"));
  vi.advanceTimersByTime(900);
  expect(got).toEqual([[1]]);
  vi.advanceTimersByTime(100);
  expect(got).toEqual([[1], [2, 4]]);
});

test("a removed listener receives nothing", () => {
  const batches = new Batches(1_000);
  const got: LiveEvent[] = [];
  const leave = batches.listen(["tables"], (events) => got.push(...events));
  leave();
  batches.add(event(1, "tables"));
  vi.advanceTimersByTime(1_000);
  expect(got).toEqual([]);
});
