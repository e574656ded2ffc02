import { expect, test } from "vitest";
import { aLink, aSwitch, chance } from "./fixture";
import { adjacency, directionOf, neighbourTowards, type Point, withinHops } from "./neighbourhood";

const names = ["a", "b", "c", "d", "e", "alone"];
const near = adjacency(
  names.map((name) => aSwitch(name)),
  [
    ["a", "b"],
    ["b", "c"],
    ["c", "d"],
    ["d", "a"],
    ["d", "e"],
    ["b", "a"],
    ["e", "e"],
  ].map(([a = "", b = ""], i) => aLink(i, a, b)),
);

test("each neighbour is listed once in the order of links, and no switch is its own neighbour", () => {
  expect(near.get("a")).toEqual(["b", "d"]);
  expect(near.get("e")).toEqual(["d"]);
  expect(near.get("alone")).toEqual([]);
});

test("switches within some hops have their distances of a breadth-first search", () => {
  expect(withinHops(near, "a", 1)).toEqual(
    new Map([
      ["a", 0],
      ["b", 1],
      ["d", 1],
    ]),
  );
  expect([...withinHops(near, "a", 2).keys()].sort()).toEqual(["a", "b", "c", "d", "e"]);
  expect(withinHops(near, "a", 2).get("e")).toBe(2);
  expect(withinHops(near, "alone", 3)).toEqual(new Map([["alone", 0]]));
  expect(withinHops(near, "unknown", 3).size).toBe(0);
});

test("n hops are n times one hop in any network", () => {
  const random = chance(7);
  const many = Array.from({ length: 60 }, (_, i) => aSwitch(`s${i}`));
  const pick = () => `s${Math.floor(random() * 60)}`;
  const adjacent = adjacency(
    many,
    Array.from({ length: 75 }, (_, i) => aLink(i, pick(), pick())),
  );
  for (const { name } of many) {
    let reached = new Set([name]);
    for (const hops of [1, 2, 3]) {
      reached = new Set([...reached].flatMap((one) => [one, ...(adjacent.get(one) ?? [])]));
      expect(new Set(withinHops(adjacent, name, hops).keys())).toEqual(reached);
    }
  }
});

const at = new Map<string, Point>([
  ["a", { x: 0, y: 0 }],
  ["b", { x: 100, y: 10 }],
  ["c", { x: 200, y: 0 }],
  ["d", { x: 0, y: 80 }],
]);

test("an arrow key selects the neighbour in its direction, and only neighbours", () => {
  expect(neighbourTowards(near, at, "a", "right")).toBe("b");
  expect(neighbourTowards(near, at, "a", "down")).toBe("d");
  expect(neighbourTowards(near, at, "a", "left")).toBeNull();
  expect(neighbourTowards(near, at, "a", "up")).toBeNull();
  expect(neighbourTowards(near, at, "b", "left")).toBe("a");
  expect(neighbourTowards(near, at, "unknown", "left")).toBeNull();
});

test("of two neighbours in one direction, the smaller angle wins, and on one line the nearer", () => {
  const star = adjacency(
    ["m", "p", "q", "r"].map((name) => aSwitch(name)),
    [aLink(1, "m", "p"), aLink(2, "m", "q"), aLink(3, "m", "r")],
  );
  const places = new Map<string, Point>([
    ["m", { x: 0, y: 0 }],
    ["p", { x: 30, y: 20 }],
    ["q", { x: 400, y: 0 }],
    ["r", { x: 200, y: 0 }],
  ]);
  expect(neighbourTowards(star, places, "m", "right")).toBe("r");
});

test("only arrow keys are directions", () => {
  expect(directionOf("ArrowUp")).toBe("up");
  expect(directionOf("a")).toBeNull();
});
