import { expect, test } from "vitest";
import { expiryOf, passwordProblem, scopesOf, sumOf } from "./rights";

test("a role has the scopes up to its own", () => {
  expect(scopesOf("viewer").map(({ value }) => value)).toEqual(["read"]);
  expect(scopesOf("administrator").map(({ value }) => value)).toEqual(["read", "write", "admin"]);
  expect(scopesOf("nobody")).toEqual([]);
});

test("an expiry is so many days ahead, or never", () => {
  expect(expiryOf("30", Date.parse("2026-01-01T00:00:00Z"))).toBe("2026-01-31T00:00:00.000Z");
  expect(expiryOf("", 0)).toBeNull();
});

test("what may be written is told apart from what may be read", () => {
  expect(
    sumOf([
      { resource: "topics", methods: ["GET", "POST"] },
      { resource: "trees", methods: ["GET"] },
      { resource: "topology/import", methods: ["POST"] },
      { resource: "users", methods: [] },
      { resource: "topics/{pk}/indexed", methods: ["POST"] },
    ]),
  ).toEqual({ reads: 2, writes: ["topics", "topology/import"] });
});

test("two passwords have to be the same", () => {
  expect(passwordProblem("a", "b")).toMatch(/same/);
  expect(passwordProblem("a", "a")).toBeNull();
});
