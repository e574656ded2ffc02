import { api } from "@/api/client";

/** Whom a text names that may be of a publisher or of an advertisement. */
export interface PublisherReference {
  publisher: string | null;
  advertisement: number | null;
}

/** Read as the server reads it: the name of a publisher comes before that of an advertisement ("a7"). */
export async function resolvePublisher(text: string, signal?: AbortSignal): Promise<PublisherReference> {
  if (!/^a\d+$/.test(text)) return { publisher: text, advertisement: null };
  const params = { query: { name: text, limit: 1 } };
  const { data } = await api.GET("/api/v1/publishers/", { params, signal });
  return data?.results.length
    ? { publisher: text, advertisement: null }
    : { publisher: null, advertisement: Number(text.slice(1)) };
}
