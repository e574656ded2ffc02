// What went wrong, in the words of the API (RFC 9457), or in ours where the API could not be asked.

export interface FieldError {
  /** JSON pointer into the body, or the name of a parameter. */
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

/** Any error as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) {
    return {
      status: 0,
      title: "The server cannot be reached",
      detail: "The server cannot be reached. What you entered is still here; try again when it is back.",
      errors: [],
    };
  }
  if (error instanceof Error) return { status: 0, title: error.name, detail: error.message, errors: [] };
  const raw = (error ?? {}) as Record<string, unknown>;
  return {
    status: Number(raw.status ?? 0),
    title: String(raw.title ?? "Something failed"),
    detail: String(raw.detail || raw.title || "Something failed."),
    requestId: typeof raw.request_id === "string" ? raw.request_id : undefined,
    retryAfter: typeof raw.retryAfter === "string" ? raw.retryAfter : null,
    errors: Array.isArray(raw.errors) ? (raw.errors as FieldError[]).map(rooted) : [],
  };
}

/** With a JSON pointer also where the planner has named a place by its path ("filter", "actions.0"). */
function rooted(error: FieldError): FieldError {
  const { pointer } = error;
  if (!pointer || pointer.startsWith("/")) return error;
  return { ...error, pointer: `/${pointer.replaceAll(".", "/")}` };
}

/** The messages for the fields of a form, by the first name in the pointer; what belongs to no field is left out. */
export function byField(problem: Problem, fields: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { pointer, detail } of problem.errors) {
    const name = pointer?.split("/")[1];
    if (name && fields.includes(name)) found[name] = found[name] ? `${found[name]} ${detail}` : detail;
  }
  return found;
}
