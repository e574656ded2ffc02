import { expect, test, vi } from "vitest";
import { refusal } from "@/test-page";
import { writeConditionally } from "./conditionalWrite";

const response = (tag: string) => new Response(null, { headers: { ETag: tag } });

test("a tag that a proxy has made weak is sent as the server gave it", async () => {
  const write = vi.fn(async () => "done");
  const read = async () => ({ data: { a: 1 }, response: response('W/"4.ab"') });
  expect(await writeConditionally(read, (now: { a: number }) => now, write)).toBe("done");
  expect(write).toHaveBeenCalledWith({ a: 1 }, { "If-Match": '"4.ab"' });
});

test("it does not go on for ever, and what is no conflict is told at once", async () => {
  const read = vi.fn(async () => ({ data: {}, response: response('"1"') }));
  const fails = (status: number) => async () => {
    throw refusal(status, "No.");
  };
  await expect(writeConditionally(read, () => ({}), fails(412))).rejects.toThrow("No.");
  expect(read).toHaveBeenCalledTimes(5);
  await expect(writeConditionally(read, () => ({}), fails(400))).rejects.toThrow("No.");
  expect(read).toHaveBeenCalledTimes(6);
});
