// Access tokens, and what they are good for.

import type { Schemas } from "@/api/client";

export type Token = Schemas["Token"];

export const TOKENS = "/api/v1/tokens/";

/** What a token is good for, in words. */
export function describeScope(token: Pick<Token, "scopes" | "publisher" | "subscriber">): string {
  if (token.publisher) return `publisher ${token.publisher} alone`;
  if (token.subscriber) return `subscriber ${token.subscriber} alone`;
  return token.scopes.join(", ");
}
