import { expect, test } from "vitest";
import { aSwitch } from "./fixture";
import { fill } from "./network";
import {
  type Fill,
  fillClass,
  fillText,
  formatShort,
  fullest,
  loadLevel,
  loadText,
  PALETTES,
} from "./scales";

test.each<[number | null, number, Fill, string]>([
  [null, 9, "unlimited", "unlimited"],
  [100, 0, "low", "0 %"],
  [1_000, 1, "low", "<1 %"],
  [100, 49, "low", "49 %"],
  [100, 50, "half", "50 %"],
  [100, 80, "high", "80 %"],
  [1_000, 999, "high", "99 %"],
  [100, 100, "full", "100 %"],
  [100, 120, "full", "120 %"],
  [0, 0, "low", "0 %"],
  [0, 1, "full", "100 %"],
])("a table with limit %s and %i entries is %s: %s", (limit, entries, kind, text) => {
  const share = fill(aSwitch("s", { limit, entries }));
  expect(fillClass(share)).toBe(kind);
  expect(fillText(share)).toBe(text);
});

test("the highest fill counts, and switches without a limit do not", () => {
  expect(fullest([aSwitch("a"), aSwitch("b", { limit: 10, entries: 3 })])).toBe(0.3);
  expect(fullest([aSwitch("a")])).toBeNull();
});

test("the level of a link grows with its load", () => {
  const levels = [0, 0.1, 10, 100, 5_000].map((packets) => loadLevel({ packets, bits: 0 }));
  expect(levels).toEqual([0, 1, 2, 3, 4]);
  expect(loadLevel(null)).toBe(0);
});

test("numbers have few characters", () => {
  expect([0, 999, 999.6, 1_234, 34_000, 5_600_000].map(formatShort)).toEqual([
    "0",
    "999",
    "1k",
    "1.2k",
    "34k",
    "5.6M",
  ]);
  expect(loadText(null)).toBe("load unknown");
  expect(loadText({ packets: 2.04, bits: 1_500 })).toBe("2.0 packets/s, 1.5 kbit/s");
});

/** Contrast of two colours as defined by WCAG. */
function contrast(one: string, other: string): number {
  const light = (color: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [high = 0, low = 0] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

test.each(["light", "dark"] as const)("colours differ clearly from the %s background", (scheme) => {
  const { ground, text, fill: fills, down, tree, path, accent } = PALETTES[scheme];
  expect(contrast(text, ground)).toBeGreaterThan(7);
  for (const color of [fills.low, fills.half, fills.full, down, tree, path, accent])
    expect(contrast(color, ground), color).toBeGreaterThan(3);
});
