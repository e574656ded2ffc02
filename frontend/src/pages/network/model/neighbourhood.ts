// Who is near whom: neighbours, the switches within some hops, and the neighbour that lies in a direction.

import type { NetLink, NetSwitch } from "./network";

export type Adjacency = ReadonlyMap<string, readonly string[]>;
export type Direction = "left" | "right" | "up" | "down";

export interface Point {
  x: number;
  y: number;
}

/** By name: those at the other ends of links, each once, in order of the links. */
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

/** The switches at most `hops` links away, with how many it takes; the start has 0. */
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
 * The neighbour that lies most in a direction from a switch: of those less than 67.5° off it, the one with the smallest
 * angle, and among about equal ones the nearest. Null where none lies there.
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
