// What a topic indexes, changed beside others who change it too.

import { api, type Schemas } from "@/api/client";
import { writeConditionally } from "@/common/forms/conditionalWrite";
import { changeOf, conflictsOf, type Edits } from "@/common/forms/edits";

export type Indexing = Pick<Schemas["Topic"], "indexed" | "automatic_indexing">;

export const indexingOf = ({ indexed, automatic_indexing }: Schemas["Topic"]): Indexing => ({
  indexed,
  automatic_indexing,
});

/** Whether two values are the same; the order in which attributes are named is not ours to change. */
export function isSame(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) ? [...a].sort().join() === [...b].sort().join() : a === b;
}

/** Sends what was touched; null, and nothing is sent, where somebody else has changed the same, or made it just so. */
export async function sendIndexing(topic: number, edits: Edits<Indexing>) {
  const path = { id: String(topic) };
  return writeConditionally(
    () => api.GET("/api/v1/topics/{id}/", { params: { path } }),
    (now: Schemas["Topic"]) => {
      const server = indexingOf(now);
      const body = changeOf(edits, server, isSame);
      const clear = conflictsOf(edits, server, isSame).length === 0;
      return clear && Object.keys(body).length > 0 ? body : null;
    },
    async (body, headers) =>
      (await api.PATCH("/api/v1/topics/{id}/", { params: { path }, headers, body })).data,
  );
}
