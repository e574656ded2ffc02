import { expect, test } from "vitest";
import { addSample, rate as rateOf, type Totals } from "./counters";

test("a rate covers the last seconds, and does not include a reset of the counter", () => {
  const totals = (published: number) => ({ published, delivered: 2 * published }) as Totals;
  let samples: Parameters<typeof addSample>[0] = [];
  for (const s of [0, 1, 2, 12]) samples = addSample(samples, totals(10 * s), 1_000 * s);
  expect(rateOf(samples, "published")).toBe(10);
  expect(samples[0]?.at).toBe(2_000);
  samples = addSample(samples, totals(1), 13_000);
  expect(rateOf(samples, "delivered")).toBeNull();
});
