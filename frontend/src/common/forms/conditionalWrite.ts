import { asProblem } from "@/api/problems";

const TRIES = 5; // attempts when other edits arrive first

/**
 * Read an object and write a change that applies to this version (`If-Match`). After another edit, read and try again.
 *
 * `body` computes the change from the object. If it is null, nothing is written and the result is null.
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
    const tag = response.headers.get("ETag")?.replace(/^W\//, ""); // a compressing proxy makes the tag weak
    try {
      return await write(wanted, { "If-Match": tag ?? "*" });
    } catch (error) {
      if (asProblem(error).status !== 412 || tries === TRIES) throw error;
    }
  }
}
