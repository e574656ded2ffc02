// What a topic indexes, changed beside others who change it too.

import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { changeOf, conflictsOf, type Edits } from "@/common/edits";

export type Indexing = Pick<Schemas["Topic"], "indexed" | "automatic_indexing">;

const TRIES = 5; // of a change that others, who changed something else, came before

export const indexingOf = ({ indexed, automatic_indexing }: Schemas["Topic"]): Indexing => ({
  indexed,
  automatic_indexing,
});

/** Whether two values are the same; the order in which attributes are named is not ours to change. */
export function same(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) ? [...a].sort().join() === [...b].sort().join() : a === b;
}

/**
 * Sends what was touched, by the topic as it is at this moment (`If-Match`). Null, and nothing is sent, where somebody
 * else has changed the same meanwhile, or has made it just so.
 */
export async function send(topic: number, edits: Edits<Indexing>) {
  const path = { id: String(topic) };
  for (let tries = 1; ; tries += 1) {
    const { data, response } = await api.GET("/api/v1/topics/{id}/", { params: { path }, cache: "no-store" });
    const now = indexingOf(data as Schemas["Topic"]);
    const body = changeOf(edits, now, same);
    if (conflictsOf(edits, now, same).length > 0 || Object.keys(body).length === 0) return null;
    const headers = { "If-Match": response.headers.get("ETag") ?? "*" };
    try {
      return (await api.PATCH("/api/v1/topics/{id}/", { params: { path }, headers, body })).data ?? null;
    } catch (error) {
      if (asProblem(error).status !== 412 || tries === TRIES) throw error;
    }
  }
}
