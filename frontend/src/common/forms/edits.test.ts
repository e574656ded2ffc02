// @vitest-environment jsdom

import { act, renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { useEdits } from "./edits";

const start = { a: 1, b: 1 };

function edited(first = start) {
  const { result, rerender } = renderHook((server: typeof start) => useEdits(server), {
    initialProps: first,
  });
  return { now: () => result.current, rerender, does: (what: () => void) => act(what) };
}

test("unedited fields follow the server, and only edited fields are sent", () => {
  const { now, rerender, does } = edited();
  does(() => now().edit("a", 5));
  rerender({ a: 1, b: 7 });
  expect(now().values).toEqual({ a: 5, b: 7 });
  expect(now().change).toEqual({ a: 5 });
  expect(now().conflicts).toEqual([]);
});

test("an edited field that another user changes is a conflict until one value is chosen", () => {
  const { now, rerender, does } = edited();
  does(() => now().edit("a", 5));
  rerender({ a: 3, b: 1 });
  expect(now().conflicts).toEqual(["a"]);
  does(() => now().edit("a", 6)); // further typing does not resolve the conflict
  expect(now().conflicts).toEqual(["a"]);
  does(() => now().keepMine("a"));
  expect([now().conflicts, now().change]).toEqual([[], { a: 6 }]);
  rerender({ a: 4, b: 1 });
  expect(now().conflicts).toEqual(["a"]);
  does(() => now().takeTheirs("a"));
  expect([now().conflicts, now().change, now().values.a]).toEqual([[], {}, 4]);
});

test("an equal edit of another user is neither sent nor a conflict; a reverted edit is neither", () => {
  const { now, rerender, does } = edited();
  does(() => now().edit("a", 5));
  does(() => now().edit("b", 2));
  does(() => now().edit("b", 1));
  rerender({ a: 5, b: 4 });
  expect([now().conflicts, now().change, now().values]).toEqual([[], {}, { a: 5, b: 4 }]);
  does(() => now().edit("a", 1)); // edited while the form showed 5
  expect([now().conflicts, now().change]).toEqual([[], { a: 1 }]);
});
