// Conversion of an event between form fields, API values and the address of a page.

import type { Schemas } from "@/api/client";
import { text } from "./text";

export type Attribute = Schemas["Topic"]["attributes"][number];
export type Value = string | number | boolean;
export type Values = Record<string, Value>;
export type Fields = Record<string, string>;

/** Read an event from the address. Returns null if it is missing or invalid. */
export function readValues(text: string): Values | null {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
    return found as Values;
  } catch {
    return null;
  }
}

/** Convert values into the texts of form fields. */
export function asFields(values: Values): Fields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

const WHOLE = /^[+-]?\d+$/;

/**
 * Convert form fields into the values of an event.
 *
 * Empty fields are left out. Integers that JavaScript cannot represent exactly stay texts, which the API accepts. Invalid
 * numbers stay texts too, and the API reports them.
 */
export function asValues(fields: Fields, attributes: readonly Attribute[]): Values {
  const found: Values = {};
  for (const { name, type } of attributes) {
    const text = fields[name] ?? "";
    if (text === "" && type !== "string") continue;
    found[name] = asValue(text, type);
  }
  return found;
}

/** Convert one field by the type of its attribute. */
export function asValue(text: string, type: Attribute["type"]): Value {
  if (type === "bool") return readFlag(text);
  return type === "int" || type === "float" ? readNumber(text, type) : text;
}

function readFlag(input: string): Value {
  return input === "true" ? true : input === "false" ? false : input;
}

function readNumber(text: string, type: "int" | "float"): Value {
  const trimmed = text.trim();
  const number = Number(trimmed);
  if (trimmed === "" || !Number.isFinite(number)) return text;
  if (type === "float") return number;
  if (!WHOLE.test(trimmed)) return text;
  return Number.isSafeInteger(number) ? number : trimmed.replace("+", "");
}

/** Describe the valid values of an attribute. */
export function describeValues(attribute: Attribute): string {
  const { min, max, type } = attribute as { min?: Value; max?: Value; type: string };
  if (type === "int" || type === "float")
    return min === undefined || max === undefined ? "" : text.range(String(min), String(max));
  return type === "string" ? text.anyText : "";
}

/** Format an event in one line. */
export function formatEvent(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
