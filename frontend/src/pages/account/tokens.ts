// Access tokens and their scopes.

import type { Schemas } from "@/api/client";
import { text } from "./text";

export type Token = Schemas["Token"];

export const TOKENS = "/api/v1/tokens/";

/** Describe the scopes of a token. */
export function describeScope(token: Pick<Token, "scopes" | "publisher" | "subscriber">): string {
  if (token.publisher) return text.tokens.publisherOnly(token.publisher);
  if (token.subscriber) return text.tokens.subscriberOnly(token.subscriber);
  return token.scopes.join(", ");
}
