import { expect, test } from "vitest";
import { anchor, blocks, inline, section } from "./markdown";

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

test("blocks of each kind are told apart", () => {
  expect(blocks(PAGE)).toEqual([
    { kind: "heading", level: 1, text: "Page" },
    { kind: "text", text: "A line and its end." },
    { kind: "heading", level: 2, text: "`GET /v1/alarms`" },
    { kind: "code", text: "code\n  deeper" },
    { kind: "table", header: ["a", "b"], rows: [["1", "x | y"]] },
    { kind: "list", items: ["one goes on", "two"] },
    { kind: "heading", level: 3, text: "Below" },
    { kind: "text", text: "More." },
    { kind: "heading", level: 2, text: "After" },
    { kind: "text", text: "End." },
  ]);
});

test("a section goes to the next heading of its level, by text or by anchor", () => {
  const page = blocks(PAGE);
  for (const heading of ["GET /v1/alarms", "get-v1alarms"]) {
    expect(section(page, heading).map(({ kind }) => kind)).toEqual([
      "heading",
      "code",
      "table",
      "list",
      "heading",
      "text",
    ]);
  }
  expect(section(page, "After")).toHaveLength(2);
  expect(section(page, "nowhere")).toHaveLength(page.length);
  expect(anchor("Within TCAM budgets")).toBe("within-tcam-budgets");
});

test("code, strong words and links stand in their line", () => {
  expect(inline("see `x` or **y** in [the `API`](api.md#z).")).toEqual([
    { kind: "text", text: "see " },
    { kind: "code", text: "x" },
    { kind: "text", text: " or " },
    { kind: "strong", text: "y" },
    { kind: "text", text: " in " },
    { kind: "link", text: "the API", to: "api.md#z" },
    { kind: "text", text: "." },
  ]);
});
