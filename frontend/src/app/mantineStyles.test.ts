import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const CORE = resolve("node_modules/@mantine/core");
const ALWAYS = ["baseline", "default-css-variables", "global"];
const NOTIFICATION = "Notification"; // @mantine/notifications draws its messages with it

const modules = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|test-page/.test(path),
);
const imported = [...readFileSync("src/app/mantineStyles.ts", "utf8").matchAll(/styles\/([\w-]+)\.css/g)].map(
  ([, name]) => name as string,
);

/** Names that the modules of the dashboard import from `@mantine/core`. */
function usedNames(): Set<string> {
  const names = modules.flatMap((path) =>
    [
      ...readFileSync(join("src", path), "utf8").matchAll(/import \{([^}]*)\} from "@mantine\/core"/g),
    ].flatMap(([, list = ""]) => list.split(",").map((name) => name.trim())),
  );
  return new Set([...names.filter((name) => name && !name.startsWith("type ")), NOTIFICATION]);
}

/** Names of the style sheets that the modules behind these names need, by Mantine's own imports. */
function neededStyles(names: ReadonlySet<string>): Set<string> {
  const index = readFileSync(join(CORE, "esm/index.mjs"), "utf8");
  const seen = new Set<string>();
  const styles = new Set(ALWAYS);
  const follow = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const style = /([^/]+)\.module\.mjs$/.exec(file)?.[1];
    if (style && existsSync(join(CORE, "styles", `${style}.css`))) styles.add(style);
    for (const [, next = ""] of readFileSync(file, "utf8").matchAll(/ from "(\.[^"]+)"/g))
      follow(resolve(dirname(file), next));
  };
  for (const [, list = "", file = ""] of index.matchAll(/import \{([^}]*)\} from "([^"]+)"/g))
    if (list.split(",").some((name) => names.has(name.trim()))) follow(join(CORE, "esm", file));
  return styles;
}

test("each used component has its style sheet, and there is no other one", () => {
  const needed = neededStyles(usedNames());
  expect(needed.size).toBeGreaterThan(40);
  expect([...needed].filter((name) => !imported.includes(name))).toEqual([]);
  expect(imported.filter((name) => !needed.has(name))).toEqual([]);
});

test("the style sheets are in Mantine's order, since later ones override earlier ones", () => {
  const all = readFileSync(join(CORE, "styles.css"), "utf8");
  const places = imported.map((name) =>
    all.indexOf(readFileSync(join(CORE, "styles", `${name}.css`), "utf8").trim()),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBe(0);
});
