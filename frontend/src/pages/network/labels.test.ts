import { expect, test } from "vitest";
import { thinned } from "./labels";
import type { SceneNode } from "./scene";

const node = (id: string, x: number, y: number, classes = "switch", label = id): SceneNode => ({
  ...{ id, x, y, classes, label },
  share: 0,
});
const told = (nodes: SceneNode[], unit = 1) =>
  Object.fromEntries(thinned(nodes, unit).map(({ id, label }) => [id, label]));

test("labels with room stay, those on others or on switches go", () => {
  const nodes = [node("s:aaaa", 0, 0), node("s:bbbb", 200, 0), node("s:cccc", 0, 30)];
  expect(told(nodes)).toEqual({ "s:aaaa": "", "s:bbbb": "s:bbbb", "s:cccc": "s:cccc" });
  expect(told(nodes, 0.01)).toEqual({ "s:aaaa": "s:aaaa", "s:bbbb": "s:bbbb", "s:cccc": "s:cccc" });
});

test("what is selected is always named, full tables before others, hosts last", () => {
  const labels = told([
    node("s:a", 0, 0),
    node("s:b", 4, 20, "switch fill-full"),
    node("s:c", 2, 10, "switch selected"),
    node("h:d", 0, 18, "host"),
  ]);
  expect(labels["s:c"]).toBe("s:c");
  expect(labels["s:a"]).toBe("");
  expect(labels["h:d"]).toBe("");
});

test("the number of a group stays", () => {
  expect(told([node("group:1:a", 0, 0, "group", "12"), node("s:x", 0, 1)])["group:1:a"]).toBe("12");
});
