// Sample events of an advertisement.

import { escapeRegExp, QUOTED, unquote } from "@/filters/literals";

interface Attribute {
  name: string;
  type: string;
  min?: unknown;
  max?: unknown;
  values?: readonly unknown[] | null;
}

/**
 * Create an event that matches a filter: a value for each attribute of the topic.
 *
 * The value is named by the filter, or it is the middle of the range that the filter leaves. The event matches if the
 * filter joins all its conditions by "and".
 */
export function sample(attributes: readonly object[], filter: string): Record<string, unknown> {
  return Object.fromEntries((attributes as Attribute[]).map((one) => [one.name, value(one, filter)]));
}

const NUMBER = "(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)";

function value(attribute: Attribute, filter: string): unknown {
  const { name, type, values } = attribute;
  const all = (pattern: string) => [
    ...filter.matchAll(new RegExp(`(?<![\\w.])${escapeRegExp(name)} ?${pattern}`, "g")),
  ];
  const named = all(`(?:=|in \\{|prefix) ?(${QUOTED}|true|false)`)[0]?.[1];
  if (named) return named.startsWith('"') ? unquote(named) : named === "true";
  if (type === "bool") return true;
  if (values?.length) return values[0];
  const exact = all(`(?:(?<![<>!])==?|in \\() ?${NUMBER}`)[0]?.[1];
  if (exact) return type === "int" ? asInteger(rounded(exact, "up")) : Number(exact);
  const ranges = all(`in \\[${NUMBER}, ?${NUMBER}([\\])])`);
  if (type === "int") return whole(attribute, all, ranges);
  const bounds = (found: RegExpExecArray[], part: number) => found.map((one) => Number(one[part]));
  const low = Math.max(...numbers(attribute.min), ...bounds(ranges, 1), ...bounds(all(`>=? ?${NUMBER}`), 1));
  const high = Math.min(...numbers(attribute.max), ...bounds(ranges, 2), ...bounds(all(`<=? ?${NUMBER}`), 1));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "A";
  return (low + high) / 2;
}

const numbers = (bound: unknown) => (typeof bound === "number" ? [bound] : []);

/** Middle integer of the range that the conditions leave of a domain, without rounding errors. */
function whole(
  attribute: Attribute,
  all: (pattern: string) => RegExpExecArray[],
  ranges: RegExpExecArray[],
): unknown {
  const low = [
    ...integers(attribute.min),
    ...ranges.map((range) => rounded(range[1] ?? "", "up")),
    ...all(`>= ?${NUMBER}`).map((test) => rounded(test[1] ?? "", "up")),
    ...all(`> ?${NUMBER}`).map((test) => rounded(test[1] ?? "", "down") + 1n),
  ];
  const high = [
    ...integers(attribute.max),
    ...ranges.map(([, , end = "", mark]) => (mark === "]" ? rounded(end, "down") : rounded(end, "up") - 1n)),
    ...all(`<= ?${NUMBER}`).map((test) => rounded(test[1] ?? "", "down")),
    ...all(`< ?${NUMBER}`).map((test) => rounded(test[1] ?? "", "up") - 1n),
  ];
  const least = low.sort(ascending).at(-1);
  const most = high.sort(ascending)[0];
  return least === undefined || most === undefined ? "A" : asInteger(least + (most - least + 1n) / 2n);
}

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1);

/** Bound of a domain as an integer. Digits are used for numbers that JavaScript cannot represent exactly. */
const integers = (bound: unknown) =>
  typeof bound === "number" || typeof bound === "string" ? [BigInt(bound)] : [];

/** Round a number of a filter to an integer, up or down. */
export function rounded(text: string, way: "up" | "down"): bigint {
  const [, sign, before = "", behind = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const shift = Number(exponent) - behind.length;
  const digits = before + behind;
  const cut = Math.max(0, digits.length + Math.min(shift, 0));
  const size = BigInt(digits.slice(0, cut) || "0") * 10n ** BigInt(Math.max(0, Math.min(shift, 400)));
  const more = /[1-9]/.test(digits.slice(cut));
  if (sign) return way === "down" && more ? -size - 1n : -size;
  return way === "up" && more ? size + 1n : size;
}

const asInteger = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value.toString());
