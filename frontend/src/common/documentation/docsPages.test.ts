import { expect, test } from "vitest";
import { blocks, linkedPlace, PAGES, section } from "./docsPages";

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
  continues
- two

### Below

More.

## After

End.`;

test("a section, found by text or anchor, ends at the next heading of its level", () => {
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

test("pages are found by their path below docs/", () => {
  for (const page of ["operations.md", "tutorial.md", "formats.md", "how-to/set-budgets.md"])
    expect([...PAGES.keys()]).toContain(page);
});

test.each([
  ["tutorial.md", "how-to/set-budgets.md", { page: "how-to/set-budgets.md", heading: "" }],
  ["how-to/set-budgets.md", "plan-offline.md#steps", { page: "how-to/plan-offline.md", heading: "steps" }],
  ["how-to/set-budgets.md", "../client.md#subscribe", { page: "client.md", heading: "subscribe" }],
  ["client.md", "#subscribe", { page: "client.md", heading: "subscribe" }],
  ["client.md", "../README.md", null],
  ["client.md", "decisions/0007-dashboard.md", null],
])("a link from %s to %s opens a page of the documentation, or nothing", (from, link, target) => {
  expect(linkedPlace(from, link)).toEqual(target);
});
