import { asProblem } from "@/api/problems";

const TRIES = 5; // of a change that edits of something else came before

/**
 * Writes by an object as it is at this moment (`If-Match`); an edit that comes in between has it read and judged anew.
 * `body` says what is to be written: null is nothing, and the answer then.
 */
export async function writeConditionally<T, Body, Answer>(
  read: () => Promise<{ data?: unknown; response: Response }>,
  body: (now: T) => Body | null,
  write: (body: Body, headers: Record<string, string>) => Promise<Answer>,
): Promise<Answer | null> {
  for (let tries = 1; ; tries += 1) {
    const { data, response } = await read();
    const wanted = body(data as T);
    if (wanted === null) return null;
    const tag = response.headers.get("ETag")?.replace(/^W\//, ""); // a proxy that compresses makes it weak
    try {
      return await write(wanted, { "If-Match": tag ?? "*" });
    } catch (error) {
      if (asProblem(error).status !== 412 || tries === TRIES) throw error;
    }
  }
}
