// Reading the REST API, and changing what the caller may change.

const ROOT = "/api/v1/";
const LONGEST = 20000;

/** What the API answered instead of the data; `status` is 0 when there was no answer. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }
}

/** The JSON at `path` (below /api/v1/, or an absolute path from a page link). */
export async function read(path, query = {}) {
  const url = new URL(path, new URL(ROOT, location.origin));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return call(url, { headers: { Accept: "application/json" } });
}

/** Change the object at `path`; the request that was logged, at its end or after `wait` seconds. */
export async function change(path, values, wait = 10) {
  const token = document.querySelector("input[name=csrfmiddlewaretoken]");
  return call(new URL(path, new URL(ROOT, location.origin)), {
    method: "PATCH",
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-CSRFToken": token?.value ?? "",
      Prefer: `wait=${wait}`,
    },
    body: JSON.stringify(values),
  });
}

async function call(url, options) {
  let answer;
  try {
    answer = await fetch(url.pathname + url.search, {
      credentials: "same-origin",
      signal: AbortSignal.timeout(LONGEST),
      ...options,
    });
  } catch (error) {
    const late = error.name === "TimeoutError";
    throw new ApiError(0, late ? `no answer within ${LONGEST / 1000} s` : "the server cannot be reached");
  }
  const body = await answer.json().catch(() => null);
  if (!answer.ok) throw new ApiError(answer.status, body?.detail ?? body?.title ?? `status ${answer.status}`);
  return body;
}

/** All rows of a list, page by page, up to `most`. */
export async function readAll(path, query = {}, most = 5000) {
  const rows = [];
  let page = await read(path, { limit: 1000, ...query });
  rows.push(...page.results);
  while (page.next && rows.length < most) {
    page = await read(page.next);
    rows.push(...page.results);
  }
  return rows.slice(0, most);
}
