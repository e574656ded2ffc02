import { expect, test } from "vitest";
import { show } from "@/test-page";
import { PreviewPanel } from "./PreviewPanel";
import type { Preview } from "./preview";
import { text } from "./text";

const exact: Preview = {
  ...{ valid: true, errors: [], canonical: "a0 < 50", dz: ["0"], dz_cells: 1, more: 0 },
  ...{ volume: 0.075, volume_error: 0, covered: 0.328, excess: 3.37 },
  ...{ overlap: null, reach: null, unreachable: null, cost: null, unknown: null },
};

function excess(answer: Preview) {
  show(<PreviewPanel answer={answer} busy={false} error={null} kind="subscription" known={false} />);
  const figure = document.querySelector(`[data-figure="${text.preview.excess}"]`);
  return { shown: figure?.textContent, hint: figure?.closest("[title]")?.getAttribute("title") };
}

test("an exact excess has no mark", () => {
  expect(excess(exact)).toEqual({ shown: "337 %", hint: text.preview.excessHelp });
});

test("an estimated excess has a mark, its error and an explanation", () => {
  const estimate = { ...exact, volume: 0.04846, volume_error: 0.01371, covered: 1, excess: 19.63 };
  expect(excess(estimate)).toEqual({
    shown: `≈ ${(1963).toLocaleString()} % (± ${(28.3).toLocaleString()} %)`,
    hint: text.preview.excessEstimated,
  });
});

test("an estimate without excess keeps its error", () => {
  expect(excess({ ...exact, volume_error: 0.002, excess: 0 }).shown).toBe(
    `≈ 0 % (± ${(0.2).toLocaleString()} %)`,
  );
});
