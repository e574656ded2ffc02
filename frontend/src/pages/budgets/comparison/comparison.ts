// Comparison of methods. It asks for one method at a time, because the server answers one question at a time.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { api, type Schemas } from "@/api/client";
import type { Method } from "../figures";

export type Answer = Schemas["WhatIfAnswer"];

export interface Terms {
  /** The budget of every switch; undefined: each keeps its own. */
  budget?: number;
  sampling?: number;
}

export interface Comparison {
  terms: Terms;
  answers: Partial<Record<Method, Answer>>;
  errors: Partial<Record<Method, unknown>>;
  /** The method that the server calculates; null if there is none. */
  now: Method | null;
  waiting: Method[];
}

const KEY = ["comparison"];
const NONE: Comparison = { terms: {}, answers: {}, errors: {}, now: null, waiting: [] };

/** The last comparison, kept while the dashboard is open, with functions to start, repeat and cancel. */
export function useComparison() {
  const queries = useQueryClient();
  const [state, setState] = useState<Comparison>(() => queries.getQueryData<Comparison>(KEY) ?? NONE);
  const stop = useRef<AbortController | null>(null);

  const put = useCallback(
    (next: Comparison) => {
      queries.setQueryData(KEY, { ...next, now: null, waiting: [] });
      setState(next);
    },
    [queries],
  );

  const work = useCallback(
    async (begun: Comparison, methods: readonly Method[]) => {
      const abort = new AbortController();
      stop.current?.abort();
      stop.current = abort;
      let next = begun;
      for (const [index, method] of methods.entries()) {
        next = { ...next, now: method, waiting: methods.slice(index + 1) };
        put(next);
        const found = await ask(method, next.terms, abort.signal);
        if (abort.signal.aborted) return;
        next = withAnswer(next, method, found);
      }
      put({ ...next, now: null, waiting: [] });
    },
    [put],
  );

  return {
    ...state,
    begin: (terms: Terms, methods: readonly Method[]) => void work({ ...NONE, terms }, methods),
    again: (method: Method) => void work(state, [method]),
    cancel: () => {
      stop.current?.abort();
      put({ ...state, now: null, waiting: [] });
    },
  };
}

async function ask(
  method: Method,
  terms: Terms,
  signal: AbortSignal,
): Promise<{ answer?: Answer; error?: unknown }> {
  try {
    const { data } = await api.POST("/api/v1/what-if/", { body: { method, ...terms }, signal });
    return { answer: data };
  } catch (error) {
    return { error };
  }
}

/** The comparison with the result of a method. An answer replaces an error, and an error replaces an answer. */
export function withAnswer(
  before: Comparison,
  method: Method,
  { answer, error }: { answer?: Answer; error?: unknown },
): Comparison {
  return {
    ...before,
    answers: { ...before.answers, [method]: answer },
    errors: { ...before.errors, [method]: answer ? undefined : error },
  };
}

/** The method with the lowest cost among those for which all budgets fit; null if there is none. */
export function bestMethod(answers: Comparison["answers"]): Method | null {
  const held = Object.entries(answers).filter(
    ([, answer]) => answer && answer.unmet.length === 0 && answer.needless.after !== null,
  );
  held.sort(([, a], [, b]) => cost(a) - cost(b));
  return (held[0]?.[0] as Method) ?? null;
}

/** The cost that methods minimize: redundant copies, plus false positives with a weight of one fifth. */
function cost(answer: Answer | undefined): number {
  return Number(answer?.needless.after) + Number(answer?.unwanted.after) / 5;
}

export interface SwitchRow {
  name: string;
  budget: number | null;
  exact: number;
  before: number;
  needlessBefore: number | null;
  by: Partial<Record<Method, { entries: number; needless: number | null; unmet: boolean }>>;
}

/** One row per switch with the results of all methods; switches with the most merged entries first. */
export function rowsBySwitch(answers: Comparison["answers"]): SwitchRow[] {
  const rows = new Map<string, SwitchRow>();
  for (const [method, answer] of Object.entries(answers)) {
    for (const one of answer?.switches ?? []) {
      const row = rows.get(one.switch) ?? {
        name: one.switch,
        budget: one.tcam_budget,
        exact: one.exact,
        before: one.before,
        needlessBefore: one.needless_before,
        by: {},
      };
      row.by[method as Method] = {
        entries: one.after,
        needless: one.needless_after,
        unmet: answer?.unmet.includes(one.switch) ?? false,
      };
      rows.set(one.switch, row);
    }
  }
  const merged = ({ exact, by }: SwitchRow) =>
    exact - Math.min(exact, ...Object.values(by).map(({ entries }) => entries));
  return [...rows.values()].sort((a, b) => merged(b) - merged(a) || a.name.localeCompare(b.name));
}
