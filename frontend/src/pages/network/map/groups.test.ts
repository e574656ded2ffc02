import { expect, test } from "vitest";
import { chance } from "../model/fixture";
import { type Group, Grouping, levelAt, type PlacedSwitch, UNGROUPED_SWITCHES } from "./groups";

const random = chance(3);
const placed = Array.from({ length: 754 }, (_, i) => ({
  name: `s${i}`,
  x: 2_500 * random(),
  y: 2_500 * random(),
}));

const grouped = (rows: readonly PlacedSwitch[], level: number) => new Grouping(rows).at(level);

test("few switches are never grouped, and groups of many switches grow when zooming out", () => {
  expect(levelAt(0.01, UNGROUPED_SWITCHES)).toBe(0);
  expect(levelAt(50, 754)).toBe(0);
  const levels = [2, 1, 0.5, 0.25, 0.1].map((zoom) => levelAt(zoom, 754));
  expect(levels).toEqual([...levels].sort((a, b) => a - b));
  expect(levelAt(0.5, 754) - levelAt(1, 754)).toBe(1);
});

test("at level 0 each switch is a group", () => {
  const groups = grouped(placed, 0);
  expect(groups).toHaveLength(754);
  expect(groups.every(({ members }) => members.length === 1)).toBe(true);
});

test("every switch is in one group of each level, and each group is inside one group of the next level", () => {
  const all = new Grouping(placed);
  let before = all.at(0);
  for (let level = 1; level <= 11; level++) {
    const groups = all.at(level);
    const owner = new Map(groups.flatMap(({ id, members }) => members.map((name) => [name, id])));
    expect(owner.size).toBe(754);
    expect(groups.reduce((sum, { members }) => sum + members.length, 0)).toBe(754);
    for (const { members } of before) expect(new Set(members.map((name) => owner.get(name))).size).toBe(1);
    expect(groups.length).toBeLessThanOrEqual(before.length);
    before = groups;
  }
  expect(before.length).toBeLessThan(10);
});

test("distant switches are in different groups, and close switches are in the same group", () => {
  const pair = [
    { name: "a", x: 0, y: 0 },
    { name: "b", x: 3, y: 0 },
    { name: "c", x: 100, y: 0 },
  ];
  expect(grouped(pair, 1).map(({ members }) => members)).toEqual([["a"], ["b"], ["c"]]);
  expect(grouped(pair, 2).map(({ members }) => [...members].sort())).toEqual([["a", "b"], ["c"]]);
  expect(grouped(pair, 2)[0]).toMatchObject({ x: 1.5, y: 0 });
});

test("groups do not depend on the order of switches", () => {
  const ids = (groups: readonly Group[]) => groups.map(({ id, members }) => `${id} ${members}`).sort();
  expect(ids(grouped([...placed].reverse(), 7))).toEqual(ids(grouped(placed, 7)));
});
