import { expect, test } from "vitest";
import { attribute, blank, byPointer, pointers, splitLines, topicBody } from "./attributes";

test("an attribute is sent with its domain, and an invalid number as entered", () => {
  const draft = { ...blank(), name: " low ", min: "0", max: "1023" };
  expect(attribute(draft)).toEqual({ name: "low", type: "int", min: 0, max: 1023 });
  expect(attribute({ ...draft, max: "18446744073709551615" })).toMatchObject({ max: "18446744073709551615" });
  expect(attribute({ ...draft, max: "ten" })).toMatchObject({ max: "ten" });
  expect(attribute({ ...draft, type: "float", max: "1e3" })).toMatchObject({ max: 1000 });
  expect(attribute({ ...draft, type: "float", max: "" })).toMatchObject({ max: "" });
  expect(attribute({ ...draft, type: "enum", values: "buy\n\n sell \n" })).toEqual({
    name: "low",
    type: "enum",
    values: ["buy", "sell"],
  });
  expect(attribute({ ...draft, type: "string" })).toEqual({ name: "low", type: "string" });
});

test("indexed is sent unless all attributes are indexed", () => {
  const [a, b] = [
    { ...blank(), name: "a" },
    { ...blank("bool"), name: "b" },
  ];
  expect(topicBody("t", [a, b])).not.toHaveProperty("indexed");
  expect(topicBody("t", [a, { ...b, indexed: false }])).toMatchObject({ indexed: ["a"] });
});

test("errors appear at their field, or else at the form", () => {
  const drafts = [blank()];
  const problem = {
    status: 400,
    title: "",
    detail: "",
    errors: [
      { pointer: "/attributes/0/min", code: "x", detail: "min is wrong." },
      { pointer: "/attributes/0/values/3", code: "x", detail: "twice." },
      { pointer: "/attributes/0", code: "x", detail: "bad." },
      { pointer: "/code", code: "x", detail: "no code." },
    ],
  };
  expect(byPointer(problem, pointers(drafts))).toEqual({
    "/attributes/0/min": "min is wrong.",
    "/attributes/0/values": "twice.",
    "/attributes/0": "bad.",
    "": "no code.",
  });
  expect(byPointer(null, [])).toEqual({});
});

test("values of an enum are lines", () => {
  expect(splitLines("a b\r\nc\n")).toEqual(["a b", "c"]);
});
