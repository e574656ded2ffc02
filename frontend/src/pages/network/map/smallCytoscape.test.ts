import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { smallCytoscape } from "../../../../smallCytoscape";

const source = readFileSync("node_modules/cytoscape/dist/cytoscape.esm.mjs", "utf8");
const small = smallCytoscape(source);

/** The cytoscape function of a source. */
async function load(module: string) {
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(module)}`)).default;
}

test("the small Cytoscape has the part of the API that the drawing uses, and not the unused parts", async () => {
  const cytoscape = await load(small);
  const cy = cytoscape({ headless: true, layout: { name: "preset" } });
  cy.add([{ data: { id: "a" }, position: { x: 1, y: 2 } }, { data: { id: "b" } }]);
  cy.add({ data: { id: "ab", source: "a", target: "b" } });
  expect(cy.getElementById("a").position()).toEqual({ x: 1, y: 2 });
  expect(cy.getElementById("a").neighborhood().length).toBe(2);
  expect(cy.getElementById("a").dijkstra).toBeUndefined();
  expect(cytoscape("layout", "cose")).toBeUndefined();
  expect(cytoscape("layout", "preset")).toBeDefined();
  expect(small).not.toContain("initWebgl = ");
  expect(small).toContain("(r.nextFrame ?? requestAnimationFrame)(");
});

test("a release of Cytoscape with another structure ends the build with an error", () => {
  expect(() => smallCytoscape("export default {}")).toThrow("smallCytoscape.ts");
  expect(() => smallCytoscape(source.replace("tarjanStronglyConnected$1]", "other]"))).toThrow("Adapt");
});
