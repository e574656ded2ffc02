// Errors of the API (RFC 9457), and errors of the dashboard in the same form.

import { text } from "./text";

export interface FieldError {
  /** JSON pointer into the body. */
  pointer?: string;
  parameter?: string;
  index?: number;
  line?: number;
  code: string;
  detail: string;
  value?: unknown;
}

export interface Problem {
  status: number;
  title: string;
  detail: string;
  requestId?: string;
  retryAfter?: string | null;
  errors: FieldError[];
}

export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "ProblemError";
    this.problem = problem;
  }
}

/** Convert any error into a problem that the dashboard can show. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) {
    return {
      status: 0,
      ...text.unreachable,
      errors: [],
    };
  }
  if (error instanceof Error) return { status: 0, title: error.name, detail: error.message, errors: [] };
  const raw = (error ?? {}) as Record<string, unknown>;
  return {
    status: Number(raw.status ?? 0),
    title: String(raw.title ?? text.unknown.title),
    detail: String(raw.detail || raw.title || text.unknown.detail),
    requestId: typeof raw.request_id === "string" ? raw.request_id : undefined,
    retryAfter: typeof raw.retryAfter === "string" ? raw.retryAfter : null,
    errors: Array.isArray(raw.errors) ? (raw.errors as FieldError[]).map(rooted) : [],
  };
}

/** Convert a path of the planner ("filter", "actions.0") into a JSON pointer. */
function rooted(error: FieldError): FieldError {
  const { pointer } = error;
  if (!pointer || pointer.startsWith("/")) return error;
  return { ...error, pointer: `/${pointer.replaceAll(".", "/")}` };
}

/** Messages for the fields of a form, by the first name in the pointer. Other errors are left out. */
export function byField(problem: Problem, fields: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { pointer, detail } of problem.errors) {
    const name = pointer?.split("/")[1];
    if (name && fields.includes(name)) found[name] = found[name] ? `${found[name]} ${detail}` : detail;
  }
  return found;
}
