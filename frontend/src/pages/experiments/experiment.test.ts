import { expect, test } from "vitest";
import { filtered, held, panelOption, papersOf, type Summary } from "./experiment";

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

test("a diagram has a line of means for each series", () => {
  const lines = [{ series: "a", points: [[5, 1, 2, 3]] }];
  const option = panelOption({ y: "fpr", label: "", title: "", group: "", x: "x", x_label: "bits", lines });
  expect(option.series).toMatchObject([{ name: "a", data: [[5, 2]] }]);
});
