// Grouping when zoomed out: switches that would overlap are drawn as one group with their number.

import type { Point } from "../model/neighbourhood";

export interface PlacedSwitch extends Point {
  name: string;
}

export interface Group extends Point {
  /** Stable while the group has the same leader at the same level. */
  id: string;
  members: string[];
}

/** Number of switches up to which none are grouped at any zoom. */
export const UNGROUPED_SWITCHES = 60;

/** Minimum distance between two symbols, in pixels. */
export const GROUP_DISTANCE = 46;

/**
 * The level of grouping at a zoom (pixels per unit).
 *
 * At level n > 0, switches nearer than 2^n units are grouped. Level 0 has no groups. Each level doubles the distance, so
 * that small changes of the zoom keep the groups.
 */
export function levelAt(zoom: number, switches: number, room = GROUP_DISTANCE): number {
  if (switches <= UNGROUPED_SWITCHES || !(zoom > 0)) return 0;
  return Math.max(0, Math.floor(Math.log2(room / zoom)));
}

/**
 * Groups of each level, starting with level 0 (one switch per group).
 *
 * Every group of a level is contained in one group of the next level, so that groups open into groups. The order of
 * `placed` does not matter: the group with most members leads, then the first by name.
 */
export class Grouping {
  private readonly levels: Group[][];
  private readonly nearest: number;

  constructor(placed: readonly PlacedSwitch[], nearest = 2) {
    this.nearest = nearest;
    const single = ({ name, x, y }: PlacedSwitch) => ({ id: `group:0:${name}`, members: [name], x, y });
    this.levels = [[...placed].sort((a, b) => (a.name < b.name ? -1 : 1)).map(single)];
  }

  /** The groups of a level; calculated once. */
  at(level: number): readonly Group[] {
    for (let n = this.levels.length; n <= level; n++)
      this.levels.push(joinGroups(this.levels[n - 1] ?? [], this.nearest * 2 ** (n - 1), n));
    return this.levels[level] ?? [];
  }
}

function joinGroups(groups: readonly Group[], radius: number, level: number): Group[] {
  const order = [...groups].sort(
    (a, b) => b.members.length - a.members.length || ((a.members[0] ?? "") < (b.members[0] ?? "") ? -1 : 1),
  );
  const squares = new Map<string, Group[]>();
  const square = (x: number, y: number) => `${Math.floor(x / radius)} ${Math.floor(y / radius)}`;
  for (const group of order) {
    const key = square(group.x, group.y);
    const list = squares.get(key);
    if (list) list.push(group);
    else squares.set(key, [group]);
  }
  const taken = new Set<Group>();
  const found: Group[] = [];
  for (const leader of order) {
    if (taken.has(leader)) continue;
    const near: Group[] = [];
    for (const x of [-1, 0, 1])
      for (const y of [-1, 0, 1])
        for (const other of squares.get(square(leader.x + x * radius, leader.y + y * radius)) ?? [])
          if (!taken.has(other) && Math.hypot(other.x - leader.x, other.y - leader.y) < radius)
            near.push(other);
    for (const one of near) taken.add(one);
    found.push(mergeGroups(near, level));
  }
  return found;
}

function mergeGroups(groups: readonly Group[], level: number): Group {
  const members = groups.flatMap((one) => one.members);
  const mean = (of: (group: Group) => number) =>
    groups.reduce((sum, one) => sum + of(one) * one.members.length, 0) / members.length;
  return {
    id: `group:${level}:${members[0]}`,
    members,
    x: mean((one) => one.x),
    y: mean((one) => one.y),
  };
}
