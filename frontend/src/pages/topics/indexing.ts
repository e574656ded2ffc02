// Change of the indexed attributes of a topic, safe with concurrent changes by others.

import { api, type Schemas } from "@/api/client";
import { writeConditionally } from "@/common/forms/conditionalWrite";
import { changeOf, conflictsOf, type Edits } from "@/common/forms/edits";

export type Indexing = Pick<Schemas["Topic"], "indexed" | "automatic_indexing">;

export const indexingOf = ({ indexed, automatic_indexing }: Schemas["Topic"]): Indexing => ({
  indexed,
  automatic_indexing,
});

/** Whether two values are equal, apart from the order of attributes, which the form keeps. */
export function isSame(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) ? [...a].sort().join() === [...b].sort().join() : a === b;
}

/** Send the edited fields; return null on a conflict, or if nothing differs any more. */
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
