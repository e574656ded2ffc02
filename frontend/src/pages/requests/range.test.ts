import { expect, test } from "vitest";
import { asField, fromField } from "./range";

const at = new Date(Date.UTC(2026, 0, 1, 12)).toISOString();

test("times of the address and of the field convert into each other", () => {
  const field = asField(at);
  expect(field).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  expect(fromField(field)).toBe(at);
  expect(asField("nonsense")).toBe("");
  expect(fromField("")).toBeNull();
});
