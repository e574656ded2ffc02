import { expect, test } from "vitest";
import { asProblem, byField } from "./problems";
import { text } from "./text";

test("errors of the API appear at their fields", () => {
  const problem = asProblem({
    status: 400,
    title: "Bad Request",
    detail: "Two fields are wrong.",
    errors: [
      { pointer: "/name", code: "bad_name", detail: "No name.", value: "" },
      { pointer: "/attributes/0/min", code: "order", detail: "Too high.", value: 9 },
      { pointer: "/name", code: "taken", detail: "Taken." },
    ],
  });
  expect(byField(problem, ["name", "attributes"])).toEqual({
    name: "No name. Taken.",
    attributes: "Too high.",
  });
  expect(byField(problem, ["other"])).toEqual({});
});

test("an unreachable server has an own title", () => {
  expect(asProblem(new TypeError("Failed to fetch")).title).toBe(text.unreachable.title);
});

test("a path of the planner becomes a pointer", () => {
  const problem = asProblem({ errors: [{ pointer: "tcam_budget", code: "budget", detail: "too few" }] });
  expect(problem.errors[0]?.pointer).toBe("/tcam_budget");
  expect(byField(problem, ["tcam_budget"])).toEqual({ tcam_budget: "too few" });
});
