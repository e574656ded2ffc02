import { expect, test } from "vitest";
import { selectionOf } from "./selection";

test("the address contains the selection", () => {
  const of = (text: string) => selectionOf(new URLSearchParams(text));
  expect(of("switch=s1")).toEqual({ kind: "switch", name: "s1" });
  expect(of("link=7")).toEqual({ kind: "link", id: 7 });
  expect(of("link=x")).toBeNull();
  expect(of("host=h1&q=a")).toEqual({ kind: "host", name: "h1" });
});
