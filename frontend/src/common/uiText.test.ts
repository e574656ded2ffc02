// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the cases are source text
// All texts of the dashboard are in catalogues (`text.ts`), so that they can be translated.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/** Strings that look like texts and are none; `text` is the whole string, without the values of a template. */
const EXCEPTIONS: readonly { file: string; text: string; reason: string }[] = [
  { file: "filters/FilterEditor.tsx", text: "-description -error", reason: "ids of elements" },
  ...["not", "true", "false"].map((text) => ({
    file: "filters/completion.ts",
    text,
    reason: "keyword of filters",
  })),
  { file: "pages/network/map/drawing.ts", text: "node, edge", reason: "selector of Cytoscape" },
  { file: "pages/network/map/labels.ts", text: "label-", reason: "class in the drawing" },
  { file: "pages/network/map/scene.ts", text: "path path-back", reason: "classes in the drawing" },
  { file: "pages/network/map/scene.ts", text: "path path-on", reason: "classes in the drawing" },
  { file: "pages/network/map/scene.ts", text: "link bundle", reason: "classes in the drawing" },
  { file: "pages/network/model/scales.ts", text: "switch fill-", reason: "classes in the drawing" },
];

/** Properties and attributes with a text for users, even if it is one word. */
const TEXT_NAMES = new Set([
  ...["label", "title", "placeholder", "description", "aria-label", "alt", "header", "heading", "legend"],
  ...["tooltip", "caption", "message", "hint", "cause", "empty", "error", "action", "what"],
  ...["labels", "nothingFoundMessage", "aria-description", "aria-roledescription", "aria-valuetext"],
]);

/** Properties and attributes whose strings are for the browser: styles, shapes, queries, protocols. */
const CODE_NAMES = new Set([
  ...[
    "className",
    "style",
    "styles",
    "classNames",
    "d",
    "viewBox",
    "transform",
    "points",
    "selector",
    "rel",
    "to",
    "docs",
  ],
  ...[
    "font",
    "outline",
    "textDecoration",
    "fontFamily",
    "fontFamilyMonospace",
    "height",
    "width",
    "maw",
    "mah",
    "miw",
    "background",
    "bg",
  ],
  ...[
    "border",
    "gridTemplateColumns",
    "padding",
    "margin",
    "boxShadow",
    "color",
    "c",
    "variables",
    "media",
    "query",
  ],
]);

const LETTER = /\p{L}/u;
const TWO_WORDS = /\p{L}[,.:;]? +\p{L}/u;
const WORD_NEXT_TO_VALUE = /(?:\0 +\p{L}{2,}|\p{L}{2,}[,.:;]? +\0)/u;
const CAPITALIZED_WORD = /^\p{Lu}\p{Ll}+[.:…]?$/u;

/** Text of a string or of a template; "\0" replaces each value. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `\0${literal.text}`).join("");
}

const isSentence = (text: string) => TWO_WORDS.test(text) || WORD_NEXT_TO_VALUE.test(text);

function nameOf(node: ts.PropertyAssignment | ts.JsxAttribute): string {
  return ts.isStringLiteral(node.name) ? node.name.text : node.name.getText();
}

const isNamed = (node: ts.Node) => ts.isPropertyAssignment(node) || ts.isJsxAttribute(node);

/** Whether a string is not shown to users: a type, a path of a module, a style, a message to programmers. */
function isCode(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (isNamed(node)) return CODE_NAMES.has(nameOf(node));
  if (ts.isThrowStatement(node)) return node.expression.getText().startsWith("new Error(");
  return ts.isCallExpression(node) && /^(?:console\.|import\.meta\.glob)/.test(node.expression.getText());
}

const COMPARISONS = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
]);

/** Whether a string is compared with a value, or names a property. */
function isKey({ parent }: ts.Node): boolean {
  if (ts.isBinaryExpression(parent)) return COMPARISONS.has(parent.operatorToken.kind);
  return ts.isCaseClause(parent) || ts.isElementAccessExpression(parent);
}

/** Whether users see the value of an expression: a child of an element, or a property with a text. */
function isShown(node: ts.Node): boolean {
  const { parent } = node;
  if (isNamed(parent)) return parent.name !== node && TEXT_NAMES.has(nameOf(parent));
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? isShown(parent) : true;
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent);
  if (ts.isParenthesizedExpression(parent)) return isShown(parent);
  return ts.isBinaryExpression(parent) && !isKey(node) && isShown(parent);
}

/** Texts for users in a module. */
function texts(file: string, source: string, exceptions = EXCEPTIONS): string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const add = (node: ts.Node, text: string) => {
    const shown = text.replaceAll("\0", "").replace(/\s+/g, " ").trim();
    if (exceptions.some((one) => one.file === file && one.text === shown)) return;
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1}: ${shown}`);
  };
  const visit = (node: ts.Node) => {
    if (isCode(node)) return;
    const text = ts.isJsxText(node) ? node.text : textOf(node);
    if (text !== null && LETTER.test(text)) {
      const visible = ts.isJsxText(node) || isShown(node) || isSentence(text);
      if (visible || (CAPITALIZED_WORD.test(text) && !isKey(node))) add(node, text);
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

function modules(): string[] {
  const all = readdirSync("src", { recursive: true, encoding: "utf8" });
  return all.filter(
    (path) => /\.tsx?$/.test(path) && !/(?:^|\/)text\.tsx?$|\.gen\.ts$|\.test\.tsx?$|^test-/.test(path),
  );
}

test("all texts are in catalogues", () => {
  const found = modules().flatMap((path) => texts(path, readFileSync(join("src", path), "utf8")));
  expect(found).toEqual([]);
});

test.each(EXCEPTIONS)("the exception of $file for $text is needed", ({ file, text }) => {
  const found = texts(file, readFileSync(join("src", file), "utf8"), []);
  expect(found.map((line) => line.replace(/^.*?: /, ""))).toContain(text);
});

test.each([
  ["<Text>Save</Text>", ["Save"]],
  ['<Text>{saved ? "Saved" : "changed"}</Text>', ["Saved", "changed"]],
  ['<Input label="name" />', ["name"]],
  ["<Input label={`name`} />", ["name"]],
  ['const column = { header: "rows" };', ["rows"]],
  ['const text = "two words";', ["two words"]],
  ["const text = `${count} rows`;", ["rows"]],
  ["const text = `Delete ${name}`;", ["Delete"]],
  ['const names = { active: "Active" };', ["Active"]],
  ['const series = { name: "Entries" };', ["Entries"]],
])("%s has a text for users", (source, expected) => {
  expect(texts("a.tsx", source).map((line) => line.replace(/^.*?: /, ""))).toEqual(expected);
});

test.each([
  'import { a } from "./two words";',
  '<Text className="two words" style={{ border: "1px solid red" }} />',
  "<Text>{text.title}</Text>",
  'type State = "Open" | "two words";',
  'if (event.key === "Enter") open("/api/v1/topics/");',
  "const path = `/api/v1/topics/${id}/`;",
  'throw new Error("the list is empty");',
  '<Text c="dimmed" size="sm">…</Text>',
  'const meta = { help: "budget" }; const close = { "aria-label": text.close };',
])("%s has no text for users", (source) => {
  expect(texts("a.tsx", source)).toEqual([]);
});
