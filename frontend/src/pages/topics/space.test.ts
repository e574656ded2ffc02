import { expect, test } from "vitest";
import { CHART_COLORS } from "@/common/charts/chartColors";
import { alpha, filterBoxes, LAYERS, type Space, shorten, topicSpaceOption, wrapText } from "./space";

const many = (items: unknown[]) => ({ total: items.length, truncated: false, items });
const SPACE = {
  topic: "quotes",
  x: { attribute: "low", type: "int", kind: "number", low: 0, high: 1024, ticks: [] },
  y: {
    attribute: "symbol",
    type: "string",
    kind: "text",
    low: 0,
    high: 3,
    ticks: [{ at: 1.5, label: "IBM" }],
  },
  advertisements: many([]),
  subscriptions: many([
    {
      id: 7,
      name: "q7",
      owner: "alice",
      host: "h2",
      filter: "low < 3",
      boxes: [[0, 3, 0, 3]],
      truncated: false,
    },
    {
      id: 8,
      name: "q8",
      owner: "bob",
      host: "h3",
      filter: null,
      boxes: [
        [0, 1, 0, 1],
        [5, 6, 0, 1],
      ],
    },
  ]),
  advertisement_cells: many([]),
  subscription_cells: many([{ box: [0, 4, 0, 3], cells: 2 }]),
  cuts: many([{ attribute: "symbol", value: "GO", box: [0, 512, 1, 1] }]),
  events: many([{ id: 1, advertisement: "a1", at: "", x: 2, y: 1.5 }]),
} as unknown as Space;

test("only selected layers are drawn, each box with its announcement", () => {
  const all = topicSpaceOption(
    SPACE,
    LAYERS.map(({ value }) => value),
    CHART_COLORS.light,
  );
  expect((all.series as { name: string }[]).map(({ name }) => name)).toEqual(
    LAYERS.map(({ label }) => label),
  );
  expect((topicSpaceOption(SPACE, ["events"], CHART_COLORS.light).series as unknown[]).length).toBe(1);
  expect(filterBoxes(SPACE, "subscriptions").map(({ name }) => name)).toEqual([
    "q7 of alice at h2\nlow < 3",
    "q8 of bob at h3\nunknown filter (the host announced only cells)",
    "q8 of bob at h3\nunknown filter (the host announced only cells)",
  ]);
});

test("cuts are drawn as lines with their condition", () => {
  const { series } = topicSpaceOption(SPACE, ["cuts"], CHART_COLORS.light);
  const [cuts] = series as { data: unknown[]; name: string }[];
  expect(cuts?.name).toBe("Cuts");
  expect(cuts?.data).toEqual([{ value: [0, 512, 1, 1], name: 'cut: symbol < "GO"' }]);
});

test("an axis of texts has labels, and a topic with one attribute has no second axis", () => {
  const { yAxis } = topicSpaceOption(SPACE, [], CHART_COLORS.light) as {
    yAxis: { axisLabel: { formatter: (at: number) => string } };
  };
  expect(yAxis.axisLabel.formatter(1.5)).toBe("IBM");
  expect(topicSpaceOption({ ...SPACE, y: null }, [], CHART_COLORS.dark).yAxis).toMatchObject({ show: false });
});

test("every layer has its own color in both themes", () => {
  for (const colors of Object.values(CHART_COLORS)) {
    const found = LAYERS.map(({ color }) => colors[color]);
    expect(new Set(found).size).toBe(LAYERS.length);
    expect(found).not.toContain(undefined);
  }
});

test("colors and long texts", () => {
  expect(alpha("#0b7188", 0.1)).toBe("#0b71881a");
  expect(
    wrapText("a".repeat(130))
      .split("\n")
      .map(({ length }) => length),
  ).toEqual([60, 60, 10]);
  expect(wrapText("x\n".repeat(20)).split("\n").at(-1)).toBe("…");
});

test("no character is cut, neither in labels nor in lines", () => {
  const faces = "😀".repeat(40);
  expect(shorten(faces)).toBe(`${"😀".repeat(15)}…`);
  expect(shorten("😀".repeat(16))).toBe("😀".repeat(16));
  expect(wrapText(faces, 7, 99).replaceAll("\n", "")).toBe(faces);
  for (const line of wrapText(`a${faces}`, 6, 99).split("\n")) expect(() => encodeURI(line)).not.toThrow();
});
