// The fields of the policy form: the gain in percent, and numbers as typed.

import type { Schemas } from "@/api/client";
import { changeOf, conflictsOf, type Edits } from "@/common/forms/edits";
import { text } from "../text";
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

/** A share in percent, without the rounding errors of binary numbers. */
export const percent = (share: number) => Number((share * 100).toPrecision(12));

export function fieldsOf({ method, sampling, period, gain }: PolicyNow): Fields {
  return { method, sampling, period, gain: percent(gain) };
}

/** A value as text with its unit. */
export function formatValue(field: Field, value: Fields[Field]): string {
  if (value === null) return text.policy.noPeriod; // only the period can be null
  if (field === "gain") return text.policy.gainValue(value);
  if (field === "period") return text.policy.periodValue(value);
  return String(value);
}

/** Errors by field. Only empty fields are checked here; the server checks the values. */
export function findMistakes(values: Fields): Partial<Record<Field, string>> {
  const found: Partial<Record<Field, string>> = {};
  for (const name of ["sampling", "period", "gain"] as const) {
    const value = values[name];
    if (value === null || (name === "gain" && values.period === null)) continue;
    if (value === "" || !Number.isFinite(Number(value))) found[name] = text.policy.empty[name];
  }
  return found;
}

/**
 * The fields to send, and the fields that another user changed too. The gain concerns periodic runs only: without them
 * it is neither shown nor sent.
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
