// An event as it is typed: fields by the attributes of its topic, and its text in the address.

import type { Schemas } from "@/api/client";

export type Attribute = Schemas["Topic"]["attributes"][number];
export type Value = string | number | boolean;
export type Values = Record<string, Value>;
export type Fields = Record<string, string>;

/** What the address says of an event; null where it says none that can be read. */
export function readValues(text: string): Values | null {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
    return found as Values;
  } catch {
    return null;
  }
}

/** Values as fields show them. */
export function asFields(values: Values): Fields {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

const WHOLE = /^[+-]?\d+$/;

/**
 * Fields as an event has them: numbers where the attribute has numbers (integers beyond what JavaScript keeps exactly
 * stay text, which the API takes), empty ones left out. What is no number goes as it is, for the API to tell what is wrong.
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

/** What one field says, by the type of its attribute. */
export function asValue(text: string, type: Attribute["type"]): Value {
  if (type === "bool") return readFlag(text);
  return type === "int" || type === "float" ? readNumber(text, type) : text;
}

function readFlag(text: string): Value {
  return text === "true" ? true : text === "false" ? false : text;
}

function readNumber(text: string, type: "int" | "float"): Value {
  const trimmed = text.trim();
  const number = Number(trimmed);
  if (trimmed === "" || !Number.isFinite(number)) return text;
  if (type === "float") return number;
  if (!WHOLE.test(trimmed)) return text;
  return Number.isSafeInteger(number) ? number : trimmed.replace("+", "");
}

/** What a field takes, in words. */
export function describeValues(attribute: Attribute): string {
  const { min, max, type } = attribute as { min?: Value; max?: Value; type: string };
  if (type === "int" || type === "float")
    return min === undefined || max === undefined ? "" : `${min} to ${max}`;
  return type === "string" ? "any text" : "";
}

/** An event in one line. */
export function formatEvent(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
