// The policy as its form has it: the gain in percent, and numbers as they are typed.

import type { Schemas } from "@/api/client";
import { changeOf, conflictsOf, type Edits } from "@/common/forms/edits";
import type { PolicyNow } from "./policy";

type Typed = string | number;

export interface Fields {
  method: string;
  sampling: Typed;
  period: Typed | null;
  gain: Typed;
}

export type Field = keyof Fields;
export type Change = Schemas["PatchedPolicyChangeRequest"];

export const LABELS: Record<Field, string> = {
  method: "Method",
  sampling: "Share of the samples that runs learn from",
  period: "Period",
  gain: "Gain that a periodic run must bring",
};

const RULES: Partial<Record<Field, string>> = {
  sampling: "above 0, 1 at most",
  period: "10 seconds to 7 days",
  gain: "0 to 100 %",
};

/** A share in percent, without the last digits that a binary number adds. */
export const percent = (share: number) => Number((share * 100).toPrecision(12));

export function fieldsOf({ method, sampling, period, gain }: PolicyNow): Fields {
  return { method, sampling, period, gain: percent(gain) };
}

/** A value in words. */
export function formatValue(field: Field, value: Fields[Field]): string {
  if (field === "gain") return `${value} %`;
  if (field === "period") return value === null ? "no runs by period" : `every ${value} s`;
  return String(value);
}

/** What is wrong with what was entered, by field: only what the server cannot be asked about. */
export function findMistakes(values: Fields): Partial<Record<Field, string>> {
  const found: Partial<Record<Field, string>> = {};
  for (const name of ["sampling", "period", "gain"] as const) {
    const value = values[name];
    if (value === null || (name === "gain" && values.period === null)) continue;
    if (value === "" || !Number.isFinite(Number(value)))
      found[name] = `${LABELS[name]} is empty; enter a number, ${RULES[name]}.`;
  }
  return found;
}

/**
 * What is to be sent, and the fields about which somebody else has to be heard first. The gain belongs to runs by
 * period: without them it is neither shown nor sent.
 */
export function changeToSend(
  edits: Edits<Fields>,
  policy: PolicyNow,
): { change: Change; conflicts: Field[] } {
  const server = fieldsOf(policy);
  const all = changeOf(edits, server);
  const { gain: _, ...others } = edits;
  const counted = (all.period === undefined ? server.period : all.period) === null ? others : edits;
  const { method, sampling, period, gain } = changeOf(counted, server);
  const change: Change = {
    ...(method === undefined ? {} : { method: method as Change["method"] }),
    ...(sampling === undefined ? {} : { sampling: Number(sampling) }),
    ...(period === undefined ? {} : { period: period === null ? null : Number(period) }),
    ...(gain === undefined ? {} : { gain: Number((Number(gain) / 100).toPrecision(12)) }),
  };
  return { change, conflicts: conflictsOf(counted, server) };
}
