import { readdirSync, readFileSync } from "node:fs";
import { fireEvent, screen } from "@testing-library/react";
import { toString as textOf } from "mdast-util-to-string";
import { expect, test } from "vitest";
import { text } from "@/common/text";
import { show } from "@/test-page";
import { blocks, PAGES, section } from "./docsPages";
import { HelpIcon } from "./HelpIcon";

const TERMS = Object.entries(text.terms);

const GLOSSARY = readFileSync("../docs/glossary.md", "utf8");

test.each(TERMS)("the glossary defines the term %s as its help icon does", (_, { heading, definition }) => {
  const [title, first] = section(blocks(GLOSSARY), heading);
  expect(title && textOf(title)).toBe(heading);
  expect(first && textOf(first).replaceAll("\n", " ")).toBe(definition);
});

test("a help icon shows the definition, and opens the term in the glossary", async () => {
  PAGES.set("glossary.md", async () => GLOSSARY);
  show(<HelpIcon term="cell" />);
  expect(screen.queryByText(text.terms.cell.definition)).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "What is a cell?" }));
  await screen.findByText(text.terms.cell.definition);
  fireEvent.click(screen.getByRole("button", { name: text.help.more }));
  await screen.findByRole("heading", { name: "Cell" });
});

test.each(TERMS)("a page has a help icon for the term %s", (name) => {
  const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".tsx") && !path.endsWith(".test.tsx"))
    .map((path) => readFileSync(`src/${path}`, "utf8"));
  const used = new RegExp(`(?:term=|help=|help: |withHelpIcon\\(|, )"${name}"`);
  expect(sources.some((source) => used.test(source))).toBe(true);
});
