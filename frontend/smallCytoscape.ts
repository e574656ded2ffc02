import type { Plugin } from "vite";

/** Layouts that the dashboard does not use; it computes positions itself. */
const LAYOUTS = ["BreadthFirst", "Circle", "Concentric", "Cose", "Grid", "Random"];

/** Replace `pattern` in the source of Cytoscape; fail if this release does not contain it. */
function replace(source: string, pattern: RegExp, by: string): string {
  const changed = source.replace(pattern, by);
  if (changed === source)
    throw new Error(`Cytoscape has no ${pattern}. Adapt frontend/smallCytoscape.ts to its release.`);
  return changed;
}

/**
 * Cytoscape without the parts that the dashboard does not use: graph algorithms, layouts and the WebGL renderer.
 *
 * They are a quarter of the library, and a bundler cannot drop them: Cytoscape registers them in three lists. Without
 * the lists' elements and the methods of the prototypes, the rest is unused code, which the bundler drops.
 *
 * The render loop asks `nextFrame` of the renderer, if it has one, for its next frame (`map/renderLoop.ts`).
 */
export function smallCytoscape(source: string): string {
  const webgl = /^(CRp\$\w+)\.initWebgl = /m.exec(source)?.[1]?.replace("$", "\\$");
  if (!webgl) throw new Error("Cytoscape has no initWebgl. Adapt frontend/smallCytoscape.ts to its release.");
  const names = LAYOUTS.join("|");
  let small = replace(
    source,
    /^\[(elesfn\$\w+), [^\]]*tarjanStronglyConnected[^\]]*\]\.forEach/m,
    "[$1].forEach",
  );
  small = replace(small, new RegExp(`\\{\\s*name: '\\w+',\\s*impl: (?:${names})Layout\\s*\\},?`, "g"), "");
  small = replace(small, new RegExp(`^(?:${names})Layout\\.prototype\\.\\w+ = [\\s\\S]*?^\\};$`, "gm"), "");
  small = replace(small, new RegExp(`^${webgl}\\.\\w+ = [\\s\\S]*?^\\};$`, "gm"), "");
  small = replace(small, new RegExp(`^(\\[CRp\\$[^\\]]*), ${webgl}\\b`, "m"), "$1");
  return replace(
    small,
    /(r\.skipFrame = false;\s*)requestAnimationFrame\((\w+)\);/,
    "$1(r.nextFrame ?? requestAnimationFrame)($2);",
  );
}

/** Bundle the small Cytoscape. */
export const cytoscapeParts: Plugin = {
  name: "cytoscape-parts",
  apply: "build",
  transform: {
    filter: { id: /cytoscape\.esm\.mjs$/ },
    handler: (code) => ({ code: smallCytoscape(code), map: null }),
  },
};
