import { expect, test } from "vitest";
import { blocks, PAGES, section } from "./docsPages";

const PAGE = `# Page

A line
and its end.

## \`GET /v1/alarms\`

    code
      deeper

| a | b |
| --- | --- |
| 1 | x \\| y |

- one
  goes on
- two

### Below

More.

## After

End.`;

test("a section goes to the next heading of its level, by text or by anchor", () => {
  const page = blocks(PAGE);
  for (const heading of ["GET /v1/alarms", "get-v1alarms"]) {
    expect(section(page, heading).map(({ type }) => type)).toEqual([
      "heading",
      "code",
      "table",
      "list",
      "heading",
      "paragraph",
    ]);
  }
  expect(section(page, "After")).toHaveLength(2);
  expect(section(page, "nowhere")).toHaveLength(page.length);
});

test("pages are found by their file name", () => {
  expect([...PAGES.keys()]).toContain("operations.md");
});
