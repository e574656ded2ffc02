// @vitest-environment jsdom

import { expect, test, vi } from "vitest";
import { refusal } from "@/test-page";
import { writeConditionally } from "./conditionalWrite";

const response = (tag: string) => new Response(null, { headers: { ETag: tag } });

test("a tag that a proxy made weak is sent in its original form", async () => {
  const write = vi.fn(async () => "done");
  const read = async () => ({ data: { a: 1 }, response: response('W/"4.ab"') });
  expect(await writeConditionally(read, (now: { a: number }) => now, write)).toBe("done");
  expect(write).toHaveBeenCalledWith({ a: 1 }, { "If-Match": '"4.ab"' });
});

test("it repeats a conflict a limited number of times, and reports other errors immediately", async () => {
  const read = vi.fn(async () => ({ data: {}, response: response('"1"') }));
  const fails = (status: number) => async () => {
    throw refusal(status, "No.");
  };
  await expect(writeConditionally(read, () => ({}), fails(412))).rejects.toThrow("No.");
  expect(read).toHaveBeenCalledTimes(5);
  await expect(writeConditionally(read, () => ({}), fails(400))).rejects.toThrow("No.");
  expect(read).toHaveBeenCalledTimes(6);
});
