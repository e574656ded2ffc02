// Limits on the size of folders and modules. Biome (`noImportCycles`) finds import cycles.

import { expect, test } from "vitest";

const MODULES_PER_FOLDER = 20;
const LINES_PER_MODULE = 300;

const sources = import.meta.glob<string>(["./**/*.{ts,tsx}", "!./**/*.gen.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

test("a folder has at most 20 modules, tests aside", () => {
  const counts = new Map<string, number>();
  for (const path of Object.keys(sources)) {
    if (/\.test\.tsx?$/.test(path)) continue;
    const folder = path.slice(0, path.lastIndexOf("/"));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(20);
  expect([...counts].filter(([, count]) => count > MODULES_PER_FOLDER)).toEqual([]);
});

test("a module has at most 300 lines, catalogues of texts aside", () => {
  const modules = Object.entries(sources).filter(([path]) => !/\/text\.tsx?$/.test(path));
  const lengths = modules.map(([path, text]) => [path, text.split("\n").length - 1] as const);
  expect(lengths.filter(([, lines]) => lines > LINES_PER_MODULE)).toEqual([]);
});
