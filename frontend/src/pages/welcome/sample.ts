// An event to try: what an advertisement may send.

import { escaped, QUOTED, unquoted } from "@/filters/literals";

interface Attribute {
  name: string;
  type: string;
  min?: unknown;
  max?: unknown;
  values?: readonly unknown[] | null;
}

/**
 * A value for each attribute of a topic: what the filter names, or the middle of what it leaves of the domain. Exact for
 * filters whose parts are all joined by "and".
 */
export function sample(attributes: readonly object[], filter: string): Record<string, unknown> {
  return Object.fromEntries((attributes as Attribute[]).map((one) => [one.name, value(one, filter)]));
}

const NUMBER = "(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)";

function value(attribute: Attribute, filter: string): unknown {
  const { name, type, values } = attribute;
  const all = (pattern: string) => [
    ...filter.matchAll(new RegExp(`(?<![\\w.])${escaped(name)} ?${pattern}`, "g")),
  ];
  const named = all(`(?:=|in \\{|prefix) ?(${QUOTED}|true|false)`)[0]?.[1];
  if (named) return named.startsWith('"') ? unquoted(named) : named === "true";
  if (type === "bool") return true;
  if (values?.length) return values[0];
  const exact = all(`(?:=|in \\{) ?${NUMBER}`)[0]?.[1];
  if (exact) return Number(exact);
  const ranges = all(`in [\\[(]${NUMBER}, ?${NUMBER}[\\])]`);
  const bounds = (found: RegExpExecArray[], part: number) => found.map((one) => Number(one[part]));
  const low = Math.max(...numbers(attribute.min), ...bounds(ranges, 1), ...bounds(all(`>=? ?${NUMBER}`), 1));
  const high = Math.min(...numbers(attribute.max), ...bounds(ranges, 2), ...bounds(all(`<=? ?${NUMBER}`), 1));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return "A";
  const half = (low + high) / 2;
  return type === "int" ? Math.ceil(half) : half;
}

const numbers = (bound: unknown) => (typeof bound === "number" ? [bound] : []);
