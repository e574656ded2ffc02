import { expect, test } from "vitest";
import { aLink, aNetwork, aSwitch } from "../model/fixture";
import { adjacency } from "../model/neighbourhood";
import { positions } from "./positions";
import { type Scene, sceneOf, type View } from "./scene";

const network = aNetwork(
  [
    aSwitch("s1", { x: 0, y: 0, limit: 10, entries: 10 }),
    aSwitch("s2", { x: 4, y: 0, connected: false }),
    aSwitch("s3", { x: 900, y: 0, limit: 10, entries: 2 }),
  ],
  [
    aLink(1, "s1", "s2"),
    aLink(2, "s2", "s3", { load: { packets: 50, bits: 0 } }),
    aLink(3, "s1", "s3", { up: false }),
    aLink(4, "s1", "s2"),
  ],
  [["h1", "s3"]],
);

function drawn(fields: Partial<View> = {}): Scene {
  return sceneOf({
    network,
    at: positions(network),
    adjacent: adjacency(network.switches.values(), network.links.values()),
    level: 0,
    only: null,
    selected: null,
    tree: null,
    path: null,
    hostsOf: () => false,
    hostDistance: 40,
    ...fields,
  });
}

const ids = (parts: readonly { id: string }[]) => parts.map(({ id }) => id).sort();
const classes = (found: Scene, id: string) =>
  [...found.nodes, ...found.edges].find((one) => one.id === id)?.classes.split(" ") ?? [];

test("classes and labels show the states of switches and links", () => {
  const all = drawn();
  expect(ids(all.nodes)).toEqual(["s:s1", "s:s2", "s:s3"]);
  expect(ids(all.edges)).toEqual(["l:1", "l:2", "l:3", "l:4"]);
  expect(classes(all, "s:s1")).toContain("fill-full");
  expect(classes(all, "s:s2")).toContain("away");
  expect(classes(all, "l:2")).toContain("load-2");
  expect(classes(all, "l:3")).toContain("down");
  expect(classes(all, "l:1")).toContain("parallel");
  expect(all.nodes.find(({ id }) => id === "s:s3")).toMatchObject({ label: "s3\n20 %", share: 20 });
});

test("a group has the worst state of its switches, and links between groups are one", () => {
  const far = drawn({ level: 4 });
  expect(far.nodes.map(({ label }) => label).sort()).toEqual(["2", "s3\n20 %"]);
  const group = far.nodes.find(({ label }) => label === "2");
  expect(group?.classes.split(" ")).toEqual(["group", "fill-full", "troubled"]);
  expect(far.members.get(group?.id ?? "")?.length).toBe(2);
  expect(far.edges).toHaveLength(1);
  expect(far.edges[0]).toMatchObject({ label: "×2", classes: "link bundle load-2" });
});

test("a selected switch is never in a group", () => {
  expect(ids(drawn({ level: 4, selected: "s:s1" }).nodes)).toEqual(["s:s1", "s:s2", "s:s3"]);
});

test("a view of some hops has no other switches, and no links to them", () => {
  const part = drawn({ only: new Set(["s1", "s2"]) });
  expect(ids(part.nodes)).toEqual(["s:s1", "s:s2"]);
  expect(ids(part.edges)).toEqual(["l:1", "l:4"]);
});

test("hosts are near their switch when they are shown", () => {
  const near = drawn({ hostsOf: () => true });
  expect(ids(near.nodes)).toContain("h:h1");
  expect(ids(near.edges)).toContain("hl:h1");
  expect(near.nodes.find(({ id }) => id === "h:h1")?.x).toBeGreaterThan(900);
});

test("a tree is marked, and everything else is faded", () => {
  const tree = drawn({ tree: { root: "s1", links: new Set([1]) } });
  expect(classes(tree, "l:1")).toContain("in-tree");
  expect(classes(tree, "l:2")).toContain("faded");
  expect(classes(tree, "s:s1")).toContain("root");
  expect(classes(tree, "s:s2")).not.toContain("faded");
  expect(classes(tree, "s:s3")).toContain("faded");
});

test("the path of an event shows direction, order and hosts", () => {
  const path = drawn({
    path: {
      switches: new Set(["s2", "s3"]),
      links: new Map([[2, { order: 1, back: true }]]),
      hosts: new Set(["h1"]),
    },
  });
  expect(classes(path, "l:2")).toContain("path-back");
  expect(path.edges.find(({ id }) => id === "l:2")?.label).toBe("1");
  expect(classes(path, "h:h1")).toContain("on-path");
  expect(classes(path, "s:s1")).toContain("faded");
});
