// A topic as it is entered, and as the API takes it.

import type { Problem } from "@/api/problems";

export const TYPES = ["int", "float", "bool", "enum", "string"] as const;
export type Type = (typeof TYPES)[number];

/** An attribute as it is entered: texts, right or wrong; `key` tells rows apart. */
export interface Draft {
  key: number;
  name: string;
  type: Type;
  min: string;
  max: string;
  values: string;
  indexed: boolean;
}

export const HELP: Record<Type, string> = {
  int: "integers from min to max, both included",
  float: "reals from min to max, both included",
  bool: "false or true",
  enum: "one of the values, a line each; their order counts",
  string: "any text; its first 16 bytes tell in the network",
};

let keys = 0;

export function blank(type: Type = "int"): Draft {
  keys += 1;
  return { key: keys, name: "", type, min: "0", max: "1000", values: "", indexed: true };
}

/** The attribute as the API takes it. What is no number goes as it is: the server says what is wrong with it. */
export function attribute({ name, type, min, max, values }: Draft): Record<string, unknown> {
  const named = { name: name.trim(), type };
  switch (type) {
    case "int":
      return { ...named, min: integer(min), max: integer(max) };
    case "float":
      return { ...named, min: real(min), max: real(max) };
    case "enum":
      return { ...named, values: splitLines(values) };
    default:
      return named;
  }
}

/** The body of a new topic. */
export function topicBody(name: string, drafts: readonly Draft[]): Record<string, unknown> {
  const attributes = drafts.map(attribute);
  const indexed = drafts.filter((draft) => draft.indexed).map((draft) => draft.name.trim());
  return { name: name.trim(), attributes, ...(indexed.length < drafts.length ? { indexed } : {}) };
}

/** The values of an enum, a line each; blanks around them and empty lines do not count. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

function integer(text: string): number | string {
  const trimmed = text.trim();
  if (!/^-?\d+$/.test(trimmed)) return trimmed;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : trimmed;
}

function real(text: string): number | string {
  const trimmed = text.trim();
  const value = Number(trimmed);
  return trimmed !== "" && Number.isFinite(value) ? value : trimmed;
}

/** The messages of a problem by the fields of what was sent, which are told by `place`; others stand at "". */
export function errorsOf(problem: Problem | null, sent: readonly Draft[]): Record<string, string> {
  const found = Object.entries(byPointer(problem, pointers(sent)));
  return Object.fromEntries(
    found.map(([pointer, detail]) => {
      const [, n, field] = /^\/attributes\/(\d+)(?:\/(.*))?$/.exec(pointer) ?? [];
      const draft = n === undefined ? undefined : sent[Number(n)];
      return [draft ? fieldKey(draft, field) : pointer, detail];
    }),
  );
}

/** Where the errors of an attribute, or of its field, are found: with the attribute, wherever it is moved. */
export const fieldKey = ({ key }: Draft, field = "") => `#${key}/${field}`;

/** The messages of a problem by their pointers; those below a pointer of `shown` go to it, the others to "". */
export function byPointer(problem: Problem | null, shown: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { pointer = "", detail } of problem?.errors ?? []) {
    const at = [...shown]
      .filter((one) => pointer === one || pointer.startsWith(`${one}/`))
      .sort((a, b) => b.length - a.length)[0];
    const key = at ?? "";
    found[key] = found[key] ? `${found[key]} ${detail}` : detail;
  }
  return found;
}

/** The pointers that the form has a field for. */
export function pointers(drafts: readonly Draft[]): string[] {
  const fields = ["name", "type", "min", "max", "values"];
  return [
    "/name",
    "/indexed",
    ...drafts.flatMap((_, n) => [`/attributes/${n}`, ...fields.map((field) => `/attributes/${n}/${field}`)]),
  ];
}
