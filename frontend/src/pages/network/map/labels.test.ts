import { expect, test } from "vitest";
import { thinLabels } from "./labels";
import type { SceneNode } from "./scene";

const node = (id: string, x: number, y: number, classes = "switch", label = id): SceneNode => ({
  ...{ id, x, y, classes, label },
  share: 0,
});
const labelsOf = (nodes: SceneNode[], unit = 1) =>
  Object.fromEntries(thinLabels(nodes, unit).map(({ id, label }) => [id, label]));

const places = (nodes: SceneNode[]) =>
  Object.fromEntries(
    thinLabels(nodes, 1).map(({ id, classes }) => [id, /label-(\w+)/.exec(classes)?.[1] ?? "below"]),
  );

test("a label is below, above, right or left of its node, and omitted without free space", () => {
  const nodes = [node("s:aaaa", 0, 0), node("s:bbbb", 200, 0), node("s:cccc", 0, 30)];
  expect(labelsOf(nodes)).toEqual({ "s:aaaa": "s:aaaa", "s:bbbb": "s:bbbb", "s:cccc": "s:cccc" });
  expect(places(nodes)).toEqual({ "s:aaaa": "above", "s:bbbb": "below", "s:cccc": "below" });
  const between = [...nodes, node("s:over", 0, -30), node("s:side", 40, 0)];
  expect(places(between)["s:aaaa"]).toBe("left");
  const around = [...between, node("s:left", -40, 0)];
  expect(labelsOf(around)["s:aaaa"]).toBe("");
});

test("selected nodes always have a label, full tables come before others, hosts last", () => {
  const labels = labelsOf([
    node("s:a", 0, 0),
    node("s:b", 4, 20, "switch fill-full"),
    node("s:c", 2, 10, "switch selected"),
    node("h:d", 0, 18, "host"),
    ...[-30, 30, 60].map((x) => node(`s:${x}`, x, 6)),
    ...[-20, 40].map((y) => node(`s:0${y}`, 2, y)),
  ]);
  expect(labels["s:c"]).toBe("s:c");
  expect(labels["s:a"]).toBe("");
  expect(labels["h:d"]).toBe("");
});

test("a group keeps its number", () => {
  expect(labelsOf([node("group:1:a", 0, 0, "group", "12"), node("s:x", 0, 1)])["group:1:a"]).toBe("12");
});
