// The traced event: the question, the answer of the server, and initial values of the fields.

import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { escapeRegExp, QUOTED, unquote } from "@/filters/literals";

/** The traced event as in the address: an advertisement, and values as JSON. */
export interface PathQuestion {
  publisher: string;
  values: string;
}

/** The path of an event. It is read once. */
export function useExplanation({ publisher, values }: PathQuestion) {
  return useQuery({
    queryKey: ["explain", publisher, values],
    enabled: publisher !== "" && values !== "",
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/explain/", { params: { query: { publisher, values, trace: true } }, signal }))
        .data,
  });
}

/** Initial value of a field: a value from the advertisement's filter, otherwise the smallest value. */
export function initialValue(attribute: Schemas["Attribute"], filter: string | null): string {
  const named = new RegExp(
    `(?:^|[^\\w.])${escapeRegExp(attribute.name)}\\s*(?:==?|>=|in\\s*[[(])\\s*(${QUOTED}|[^\\s,\\])]+)`,
  );
  const found = filter && named.exec(filter)?.[1];
  if (found) return found.startsWith('"') ? unquote(found) : found;
  if ("values" in attribute && attribute.values) return attribute.values[0] ?? "";
  if (attribute.type === "bool") return "false";
  if (attribute.type === "string") return "";
  return String(("min" in attribute && attribute.min) || 0);
}
