import { api } from "@/api/client";

/** Publisher or advertisement that a text names; the other one is null. */
export interface PublisherReference {
  publisher: string | null;
  advertisement: number | null;
}

/** Resolve a text like the server: publishers take precedence over advertisements ("a7"). */
export async function resolvePublisher(text: string, signal?: AbortSignal): Promise<PublisherReference> {
  if (!/^a\d+$/.test(text)) return { publisher: text, advertisement: null };
  const params = { query: { name: text, limit: 1 } };
  const { data } = await api.GET("/api/v1/publishers/", { params, signal });
  return data?.results.length
    ? { publisher: text, advertisement: null }
    : { publisher: null, advertisement: Number(text.slice(1)) };
}
