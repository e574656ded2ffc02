// Draft of a topic in the form, and its conversion to the body of an API call.

import type { Problem } from "@/api/problems";

export const TYPES = ["int", "float", "bool", "enum", "string"] as const;
export type Type = (typeof TYPES)[number];

/** Attribute as entered: its texts may be invalid. `key` identifies the row. */
export interface Draft {
  key: number;
  name: string;
  type: Type;
  min: string;
  max: string;
  values: string;
  indexed: boolean;
}

let keys = 0;

export function blank(type: Type = "int"): Draft {
  keys += 1;
  return { key: keys, name: "", type, min: "0", max: "1000", values: "", indexed: true };
}

/** Return the attribute as the API expects it; an invalid number stays text. */
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

/** Return the body of the call that creates a topic. */
export function topicBody(name: string, drafts: readonly Draft[]): Record<string, unknown> {
  const attributes = drafts.map(attribute);
  const indexed = drafts.filter((draft) => draft.indexed).map((draft) => draft.name.trim());
  return { name: name.trim(), attributes, ...(indexed.length < drafts.length ? { indexed } : {}) };
}

/** Return the values of an enum, one per line, without empty lines and surrounding blanks. */
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

/** Return messages by the key of their field (`fieldKey`); "" contains all others. */
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

/** Return the key for errors of an attribute or its field; it is stable when the row moves. */
export const fieldKey = ({ key }: Draft, field = "") => `#${key}/${field}`;

/** Return messages by the longest pointer in `shown` that contains theirs, else by "". */
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

/** Return the pointers for which the form has a field. */
export function pointers(drafts: readonly Draft[]): string[] {
  const fields = ["name", "type", "min", "max", "values"];
  return [
    "/name",
    "/indexed",
    ...drafts.flatMap((_, n) => [`/attributes/${n}`, ...fields.map((field) => `/attributes/${n}/${field}`)]),
  ];
}
