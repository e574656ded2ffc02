import { expect, test } from "vitest";
import { filtered, held, panelHeight, panelOption, papersOf, type Summary } from "./experiment";

function summary(name: string, paper: string, ...verdicts: Summary["verdict"][]): Summary {
  const claims = verdicts.map((verdict, i) => ({
    ...{ id: String(i), text: "", source: "6", rule: "", value: "" },
    verdict,
  }));
  const rest = { figure: "1", title: "", size: "quick", seeds: [1], command: "" };
  return { name, paper, paper_title: paper.toUpperCase(), verdict: verdicts[0] ?? "holds", claims, ...rest };
}

const ALL = [
  summary("mishra-6.2", "mishra", "differs", "holds"),
  summary("debs-5a", "debs", "holds", "holds"),
  summary("debs-5g", "debs", "undecided"),
];

test("filters select a paper, and figures with a claim of a verdict", () => {
  const names = (paper: string, verdict: string) => filtered(ALL, paper, verdict).map(({ name }) => name);
  expect(names("", "")).toHaveLength(3);
  expect(names("debs", "")).toEqual(["debs-5a", "debs-5g"]);
  expect(names("", "holds")).toEqual(["mishra-6.2", "debs-5a"]);
  expect(names("debs", "differs")).toEqual([]);
});

test("each paper is in the filter once", () => {
  expect(papersOf(ALL)).toEqual([
    { value: "mishra", label: "MISHRA" },
    { value: "debs", label: "DEBS" },
  ]);
});

test("claims that hold are counted", () => expect(ALL.map(held)).toEqual([1, 2, 0]));

test("a series whose colour was used before is dashed, and each series has a line of the legend", () => {
  const lines = [..."abcdefghi"].map((series) => ({ series, points: [[1, 1, 1, 1]] }));
  const panel = { y: "fpr", label: "", title: "", group: "", x: "x", x_label: "bits", lines };
  const { series } = panelOption(panel) as { series: { lineStyle: { type: string } }[] };
  expect(series.map(({ lineStyle }) => lineStyle.type).lastIndexOf("solid")).toBe(7);
  expect(panelHeight(panel) - panelHeight({ ...panel, lines: [] })).toBe(9 * 20);
});

test("a diagram has a line of means for each series", () => {
  const lines = [{ series: "a", points: [[5, 1, 2, 3]] }];
  const option = panelOption({ y: "fpr", label: "", title: "", group: "", x: "x", x_label: "bits", lines });
  expect(option.series).toMatchObject([{ name: "a", data: [[5, 2]] }]);
});
