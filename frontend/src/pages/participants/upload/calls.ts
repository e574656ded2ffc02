// Calls of the API for an import: dry run, import, and results.

import { api, type Schemas } from "@/api/client";
import type { FieldError } from "@/api/problems";
import { readPage } from "@/common/tables/list";
import type { Tab } from "../kinds";
import { type Item, toPlainCsv } from "./parser";

export type Cost = Schemas["Cost"];
export type Operation = Schemas["Operation"];
export type Result = Schemas["Request"];

export const FIELDS: Record<Tab, readonly string[]> = {
  publishers: ["name", "host"],
  subscribers: ["name", "host"],
  advertisements: ["publisher", "topic", "filter"],
  subscriptions: ["subscriber", "topic", "filter"],
};

/** Return the cost of a list from a dry run; a refusal has all errors, by item `index`. */
export async function check(tab: Tab, items: readonly Item[], signal: AbortSignal): Promise<Cost> {
  return (await post(tab, items, true, signal)) as Cost;
}

/** Import all items or none; return the operation to follow, or null if finished. */
export async function apply(
  tab: Tab,
  items: readonly Item[],
  signal: AbortSignal,
): Promise<Operation | null> {
  const answer = await post(tab, items, false, signal);
  return "finished" in answer ? (answer as Operation) : null;
}

async function post(tab: Tab, items: readonly Item[], dry: boolean, signal: AbortSignal) {
  const options = { params: { query: { dry_run: dry } }, body: items as never, signal };
  switch (tab) {
    case "publishers":
      return (await api.POST("/api/v1/publishers/", options)).data as object;
    case "subscribers":
      return (await api.POST("/api/v1/subscribers/", options)).data as object;
    case "advertisements":
      return (await api.POST("/api/v1/advertisements/", options)).data as object;
    case "subscriptions":
      return (await api.POST("/api/v1/subscriptions/", options)).data as object;
  }
}

/** Return the errors with the lines of their items. */
export function withLines(errors: readonly FieldError[], lines: readonly number[]): FieldError[] {
  return errors.map((error) => ({
    ...error,
    line: error.index === undefined ? error.line : lines[error.index],
  }));
}

/** Read all failures of an operation page by page, and return them as CSV. */
export async function readFailures(operation: number, lines: readonly number[]): Promise<string> {
  const rows: unknown[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage<Result>(`/api/v1/operations/${operation}/results/`, {
      state: "failed",
      limit: 1000,
      cursor,
    });
    rows.push(...page.results.map((row) => failureRow(row, lines)));
    cursor = page.next
      ? (new URL(page.next, location.origin).searchParams.get("cursor") ?? undefined)
      : undefined;
  } while (cursor);
  return toPlainCsv(["line", "index", "request", "object", "detail"], rows);
}

function failureRow({ index, id, object, problem }: Result, lines: readonly number[]): unknown[] {
  return [index === null ? "" : (lines[index] ?? ""), index, id, object?.name, problem?.detail];
}
