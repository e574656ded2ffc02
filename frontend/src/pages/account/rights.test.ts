import { expect, test } from "vitest";
import { expiryOf, passwordProblem, scopesOf, sumOf } from "./rights";
import { text } from "./text";

test("a role has the scopes up to its own", () => {
  expect(scopesOf("viewer").map(({ value }) => value)).toEqual(["read"]);
  expect(scopesOf("administrator").map(({ value }) => value)).toEqual(["read", "write", "admin"]);
  expect(scopesOf("nobody")).toEqual([]);
});

test("an expiry is a number of days ahead, or never", () => {
  expect(expiryOf("30", Date.parse("2026-01-01T00:00:00Z"))).toBe("2026-01-31T00:00:00.000Z");
  expect(expiryOf("", 0)).toBeNull();
});

test("resources to change are counted apart from resources to read", () => {
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

test("both passwords must be equal", () => {
  expect(passwordProblem("a", "b")).toBe(text.password.different);
  expect(passwordProblem("a", "a")).toBeNull();
});
