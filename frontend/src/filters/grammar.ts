// Part of the grammar of filters for the editor: tokens, and the kind of the next token. The server validates filters.

import type { Schemas } from "@/api/client";

export type FilterAttribute = Schemas["Attribute"];

export type TokenKind = "name" | "keyword" | "number" | "string" | "operator" | "bracket" | "comma" | "other";

export interface Token {
  kind: TokenKind;
  text: string;
  from: number;
  to: number;
}

const KEYWORDS = new Set(["and", "or", "not", "in", "prefix", "true", "false"]);
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const STRING = String.raw`"(?:[^"\\]|\\[\s\S])*(?:"|$)`;
const PARTS = ["[A-Za-z_][A-Za-z0-9_-]*", NUMBER, STRING, "[<>!=]=|[<>=]", "[()[\\]]", ",", "\\S"];
const PATTERN = PARTS.map((part) => `(${part})`).join("|");
const KINDS: TokenKind[] = ["name", "number", "string", "operator", "bracket", "comma", "other"];

/** Split a text into tokens. A string without an end is one token. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  for (const match of text.matchAll(new RegExp(PATTERN, "g"))) {
    const [part] = match;
    const kind = KINDS[match.slice(1).findIndex((group) => group !== undefined)] ?? "other";
    const word = kind === "name" && KEYWORDS.has(part.toLowerCase());
    found.push({
      kind: word ? "keyword" : kind,
      text: part,
      from: match.index,
      to: match.index + part.length,
    });
  }
  return found;
}

/** Kind of the next token: a test (or `not`, or a parenthesis), an operator, a value, or `and`, `or`, `)`. */
export type Expected =
  | { part: "test" }
  | { part: "operator"; attribute: string }
  | { part: "value"; attribute: string; list: boolean }
  | { part: "list"; attribute: string }
  | { part: "join"; open: boolean }
  | { part: "nothing" };

/** Find the kind of the token after `before`, a valid beginning of a filter. */
export function expectedAfter(before: readonly Token[]): Expected {
  let state: Expected = { part: "test" };
  let attribute = "";
  let depth = 0;
  const join = (): Expected => ({ part: "join", open: depth > 0 });
  for (const { kind, text } of before) {
    const word = kind === "keyword" ? text.toLowerCase() : "";
    switch (state.part) {
      case "test":
        if (text === "(") depth += 1;
        else if (word === "not") break;
        else if (word === "true") state = join();
        else if (kind === "name") {
          attribute = text;
          state = { part: "operator", attribute };
        } else state = { part: "nothing" };
        break;
      case "operator":
        if (kind === "operator" || word === "prefix") state = { part: "value", attribute, list: false };
        else if (word === "in") state = { part: "list", attribute };
        else state = { part: "nothing" };
        break;
      case "list":
        state = text === "(" || text === "[" ? { part: "value", attribute, list: true } : { part: "nothing" };
        break;
      case "value":
        if (!state.list) state = join();
        else if (text === ")" || text === "]") state = join();
        break;
      case "join":
        if (word === "and" || word === "or") state = { part: "test" };
        else if (text === ")" && depth > 0) {
          depth -= 1;
          state = join();
        } else state = { part: "nothing" };
        break;
    }
  }
  return state;
}

/** Operators for the type of an attribute. */
export function operators(attribute: FilterAttribute | undefined): string[] {
  const order = ["<", "<=", ">", ">="];
  if (attribute?.type === "bool") return ["=", "!="];
  if (attribute?.type === "string") return ["=", "!=", "prefix", "in", ...order];
  return ["=", "!=", ...order, "in"];
}

/** Write a text as a string of a filter. */
export function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** Convert a position in characters (as Python counts them) to a position in a JavaScript string. */
export function unitOffset(text: string, offset: number): number {
  let units = 0;
  let characters = 0;
  for (const character of text) {
    if (characters === offset) return units;
    characters += 1;
    units += character.length;
  }
  return units;
}
