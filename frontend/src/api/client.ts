// The API client: paths, bodies and responses have the types of the OpenAPI schema. It uses the session of the browser.

import createClient, { type Middleware } from "openapi-fetch";
import { asProblem, ProblemError } from "./problems";
import type { components, paths } from "./schema.gen";

export type Schemas = components["schemas"];

/** CSRF token of this session, from its cookie. */
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

/** The API. It throws a `ProblemError` for every response without success. */
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
    // A response from elsewhere, such as the HTML page of a proxy, is not a readable message.
    const detail = /html/i.test(response.headers.get("Content-Type") ?? "") ? "" : text.slice(0, 300);
    return asProblem({ status: response.status, title: response.statusText, detail });
  }
}
