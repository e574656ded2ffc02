import { describe, expect, test } from "vitest";
import { fromInput, rangeOf, rangeProblem, toInput } from "./range";
import { histogramOf, largest, line, type Read, rowsOf, seriesName, stagesOf } from "./series";

const point = (at: string, n: number | null) => ({ at, n });
const read: Read = (one) => one.n;

describe("lines", () => {
  test("gaps stay gaps, and a point between two gaps is a dot", () => {
    const data = line(
      [point("a", 1), point("b", null), point("c", 3), point("d", null), point("e", 5), point("f", 6)],
      read,
    );
    expect(data.map(({ value }) => value[1])).toEqual([1, null, 3, null, 5, 6]);
    expect(data.map(({ symbol }) => symbol)).toEqual(["circle", "none", "circle", "none", "none", "none"]);
  });

  test("zero is a value", () => {
    expect(line([point("a", 0)], read)).toEqual([{ value: ["a", 0], symbol: "circle" }]);
    expect(largest([{ host: "h1", points: [point("a", 0)] }], read)).toHaveLength(1);
  });

  test("the largest series come first, and series without a value are left out", () => {
    const series = [3, null, 9, 5].map((n, i) => ({ host: `h${i}`, points: [point("a", n)] }));
    expect(largest(series, read, 2).map((one) => seriesName(one, ["topic", "host"]))).toEqual(["h2", "h3"]);
  });

  test("a series without keys is the whole network", () => {
    expect(seriesName({ topic: null, host: null, points: [] }, ["topic", "host"])).toBe("whole network");
    expect(seriesName({ topic: "quotes", host: "h1", points: [] }, ["topic", "host"])).toBe("quotes, h1");
  });
});

test("the table has each measured point, with its keys", () => {
  const series = [{ host: "h1", points: [point("a", 1), point("b", null)] }];
  expect(rowsOf(series, { n: read })).toEqual([{ host: "h1", at: "a", n: 1 }]);
});

test("means of stages are weighted by requests; failed requests without a time count as requests only", () => {
  const at = (requests: number, mean: number | null) => ({
    at: "a",
    requests,
    failed: mean === null ? requests : 0,
    waiting_ms: mean === null ? null : { mean },
    computing_ms: { mean: 1 },
    deploying_ms: { mean: 2 },
  });
  const [found] = stagesOf([
    { kind: "subscribe", points: [at(1, 10), at(3, 2), at(5, null), { at: "b", requests: null }] },
  ]);
  expect(found).toEqual({
    name: "subscribe",
    requests: 9,
    failed: 5,
    waiting: 4,
    computing: 1,
    deploying: 2,
  });
  expect(stagesOf([{ kind: "set_budget", points: [{ at: "a", requests: null }] }])).toEqual([]);
});

test("histograms of several publishers have the same prefixes", () => {
  const series = [
    { publisher: "a1", points: [], dz_histogram: { "01": 2 } },
    { publisher: "a2", points: [], dz_histogram: { "00": 1, "01": 4 } },
  ];
  expect(histogramOf(series)).toEqual({
    prefixes: ["00", "01"],
    counts: [
      [0, 2],
      [1, 4],
    ],
  });
});

describe("ranges", () => {
  test("a span ends now, fixed times stay, and an unknown span is the default", () => {
    const now = Date.parse("2026-01-02T12:00:00Z");
    expect(rangeOf("24h", "", "", now)).toEqual({ since: "2026-01-01T12:00:00.000Z" });
    expect(rangeOf("fixed", "2026-01-01T00:00:00Z", "", now)).toEqual({ since: "2026-01-01T00:00:00Z" });
    expect(rangeOf("nonsense", "", "", now)).toEqual({ since: "2026-01-02T11:00:00.000Z" });
  });

  test("an end before the start is a problem", () => {
    expect(rangeProblem("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")).toMatch(/later/);
    expect(rangeProblem("", "")).toMatch(/start date/);
    expect(rangeProblem("2026-01-02T00:00:00Z", "")).toBeNull();
  });

  test("times convert to the value of an input and back, to the minute", () => {
    expect(fromInput(toInput("2026-01-02T03:04:00.000Z"))).toBe("2026-01-02T03:04:00.000Z");
    expect(fromInput("nonsense")).toBe("");
  });
});
