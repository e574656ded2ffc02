// Neighbours of switches, switches within some hops, and the neighbour in a direction.

import type { NetLink, NetSwitch } from "./network";

export type Adjacency = ReadonlyMap<string, readonly string[]>;
export type Direction = "left" | "right" | "up" | "down";

export interface Point {
  x: number;
  y: number;
}

/** Neighbours of each switch, by name: each once, in the order of the links. */
export function adjacency(switches: Iterable<NetSwitch>, links: Iterable<NetLink>): Adjacency {
  const found = new Map<string, Set<string>>();
  for (const { name } of switches) found.set(name, new Set());
  for (const { a, b } of links) {
    if (a === b) continue;
    found.get(a)?.add(b);
    found.get(b)?.add(a);
  }
  return new Map([...found].map(([name, near]) => [name, [...near]]));
}

/** Switches at most `hops` links away with their distances; the start has distance 0. */
export function withinHops(adjacent: Adjacency, start: string, hops: number): Map<string, number> {
  const found = new Map<string, number>();
  if (!adjacent.has(start)) return found;
  found.set(start, 0);
  const waiting = [start];
  for (const at of waiting) {
    const far = (found.get(at) ?? 0) + 1;
    if (far > hops) break;
    for (const next of adjacent.get(at) ?? []) {
      if (found.has(next)) continue;
      found.set(next, far);
      waiting.push(next);
    }
  }
  return found;
}

const WAYS: Record<Direction, Point> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};
const WIDEST = Math.cos((67.5 * Math.PI) / 180);

/**
 * The neighbour of a switch in a direction.
 *
 * Among neighbours within 67.5° of the direction it is the one with the smallest angle, and among about equal angles the
 * nearest. Null if there is none.
 */
export function neighbourTowards(
  adjacent: Adjacency,
  at: ReadonlyMap<string, Point>,
  from: string,
  direction: Direction,
): string | null {
  const start = at.get(from);
  if (!start) return null;
  const way = WAYS[direction];
  let best: string | null = null;
  let most = WIDEST;
  for (const name of adjacent.get(from) ?? []) {
    const point = at.get(name);
    if (!point) continue;
    const [x, y] = [point.x - start.x, point.y - start.y];
    const length = Math.hypot(x, y) || 1;
    const cosine = (x * way.x + y * way.y) / length;
    const worth = cosine - 1e-6 * length; // the nearer of two on one line
    if (worth > most) [best, most] = [name, worth];
  }
  return best;
}

const KEYS: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** The direction of an arrow key. */
export function directionOf(key: string): Direction | null {
  return KEYS[key] ?? null;
}
