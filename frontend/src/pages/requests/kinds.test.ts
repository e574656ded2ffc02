import { expect, test } from "vitest";
import { kindWords, pageOf } from "./kinds";

const object = (type: string, name: string) => ({ type, name, id: 3, url: "" }) as never;

test("a request without an object has no link, and an unknown kind keeps its name", () => {
  expect(pageOf({ kind: "finish_move", object: null })).toBeNull();
  expect(pageOf({ kind: "set_budget", object: object("switch", "a&b") })?.to).toBe("/budgets?select=a%26b");
  expect(kindWords("something_new")).toBe("something_new");
});
