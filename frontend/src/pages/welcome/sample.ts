// An event to try: what an advertisement may send.

interface Attribute {
  name: string;
  type: string;
  min?: unknown;
  max?: unknown;
  values?: readonly unknown[] | null;
}

/** A value for each attribute of a topic: what the filter names, or the middle of what it leaves of the domain. */
export function sample(attributes: readonly object[], filter: string): Record<string, unknown> {
  return Object.fromEntries((attributes as Attribute[]).map((one) => [one.name, value(one, filter)]));
}

const NUMBER = "(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)";

function value(attribute: Attribute, filter: string): unknown {
  const { name, type, values } = attribute;
  const find = (pattern: string) => new RegExp(`\\b${name} ?${pattern}`).exec(filter);
  const named = find('(?:=|in \\{|prefix) ?("(?:[^"\\\\]|\\\\.)*"|true|false)')?.[1];
  if (named) return JSON.parse(named);
  if (type === "bool") return true;
  if (values?.length) return values[0];
  const exact = find(`(?:=|in \\{) ?${NUMBER}`)?.[1];
  if (exact) return Number(exact);
  const range = find(`in [\\[(]${NUMBER}, ?${NUMBER}[\\])]`);
  const low = Number(range?.[1] ?? find(`>=? ?${NUMBER}`)?.[1] ?? attribute.min);
  const high = Number(range?.[2] ?? find(`<=? ?${NUMBER}`)?.[1] ?? attribute.max);
  if (Number.isNaN(low) || Number.isNaN(high)) return "A";
  const half = (low + high) / 2;
  return type === "int" ? Math.ceil(half) : half;
}
