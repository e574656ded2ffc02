import { expect, test } from "vitest";
import { asProblem, byField } from "./problems";

test("errors of the API go to the fields that they are of", () => {
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

test("a server that cannot be reached is told as that", () => {
  expect(asProblem(new TypeError("Failed to fetch")).title).toBe("The server cannot be reached");
});

test("a place that the planner names by its path stands as a pointer", () => {
  const problem = asProblem({ errors: [{ pointer: "tcam_budget", code: "budget", detail: "too few" }] });
  expect(problem.errors[0]?.pointer).toBe("/tcam_budget");
  expect(byField(problem, ["tcam_budget"])).toEqual({ tcam_budget: "too few" });
});
