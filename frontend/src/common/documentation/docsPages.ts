// Pages of the documentation as trees (mdast), and their sections.

import { slug } from "github-slugger";
import type { RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { toString as textOf } from "mdast-util-to-string";
import { gfmTable } from "micromark-extension-gfm-table";

const ROOT = "../../../../docs/";
const FILES = import.meta.glob<string>(["../../../../docs/*.md", "../../../../docs/how-to/*.md"], {
  query: "?raw",
  import: "default",
});

/** Functions that load a page, by its path below `docs/`. */
export const PAGES = new Map(Object.entries(FILES).map(([path, load]) => [path.slice(ROOT.length), load]));

/** Page and anchor of a link in the page `from`. Null if the target is not in `PAGES`. */
export function linkedPlace(from: string, link: string): { page: string; heading: string } | null {
  const [path = "", heading = ""] = link.split("#");
  const page = path ? new URL(path, `docs:///${from}`).pathname.slice(1) : from;
  return PAGES.has(page) ? { page, heading } : null;
}

/** Parse a page into blocks. */
export function blocks(page: string): RootContent[] {
  return fromMarkdown(page, { extensions: [gfmTable()], mdastExtensions: [gfmTableFromMarkdown()] }).children;
}

/** Blocks of a section, found by the text or the anchor of its heading. Returns the whole page if no heading matches. */
export function section(page: readonly RootContent[], heading: string): RootContent[] {
  const start = page.findIndex(
    (one) => one.type === "heading" && (textOf(one) === heading || slug(textOf(one)) === heading),
  );
  const first = page[start];
  if (first?.type !== "heading") return [...page];
  const length = page.slice(start + 1).findIndex((one) => one.type === "heading" && one.depth <= first.depth);
  return page.slice(start, length < 0 ? undefined : start + 1 + length);
}
