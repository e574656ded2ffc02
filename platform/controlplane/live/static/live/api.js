// Reading the REST API.

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
  let answer;
  try {
    answer = await fetch(url.pathname + url.search, {
      headers: { Accept: "application/json" },
      credentials: "same-origin",
      signal: AbortSignal.timeout(LONGEST),
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
