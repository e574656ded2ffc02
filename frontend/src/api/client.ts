// The client that is generated from the OpenAPI schema, with this site's session: typed paths, bodies and answers.

import createClient, { type Middleware } from "openapi-fetch";
import { asProblem, ProblemError } from "./problems";
import type { components, paths } from "./schema.gen";

export type Schemas = components["schemas"];

/** The CSRF token of this session, as the cookie has it. */
export function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

const session: Middleware = {
  onRequest({ request }) {
    if (!["GET", "HEAD", "OPTIONS"].includes(request.method)) request.headers.set("X-CSRFToken", csrfToken());
    return request;
  },
  async onResponse({ response }) {
    if (response.ok) return;
    throw new ProblemError(await problemOf(response));
  },
  onError({ error }) {
    return new ProblemError(asProblem(error));
  },
};

/** The API. Every answer that is no success is thrown as a `ProblemError`. */
export const api = createClient<paths, "application/json">({
  baseUrl: location.origin,
  querySerializer: { array: { style: "form", explode: false } },
});
api.use(session);

async function problemOf(response: Response) {
  const text = await response.text();
  try {
    return asProblem({
      ...JSON.parse(text),
      status: response.status,
      retryAfter: response.headers.get("Retry-After"),
    });
  } catch {
    // An answer that is none of the API's, such as a proxy's page, is no text for people.
    const detail = /html/i.test(response.headers.get("Content-Type") ?? "") ? "" : text.slice(0, 300);
    return asProblem({ status: response.status, title: response.statusText, detail });
  }
}
