// Positions of switches and hosts in the drawing. The server calculates positions; a link is about 100 units long.

import { type Adjacency, adjacency, type Point } from "../model/neighbourhood";
import type { NetHost, NetSwitch, Network } from "../model/network";

export const SPACING = 100;

/**
 * The position of each switch.
 *
 * A switch without a stored position is placed near its neighbours. Without any stored position, all are in a circle.
 * The result depends only on the stored positions, names and links.
 */
export function positions({ switches, links }: Network): Map<string, Point> {
  const rows = [...switches.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const placed = rows.filter(hasPlace);
  const found = new Map<string, Point>(placed.map(({ name, x, y }) => [name, { x, y }]));
  const adjacent = adjacency(rows, links.values());
  const others = rows.filter((row) => !hasPlace(row)).map(({ name }) => name);
  if (found.size === 0) placeInCircle(others, found);
  else placeNearNeighbours(others, adjacent, found);
  return found;
}

function hasPlace(row: NetSwitch): row is NetSwitch & { x: number; y: number } {
  return row.x !== null && row.y !== null;
}

function placeInCircle(names: readonly string[], found: Map<string, Point>): void {
  const radius = (SPACING * Math.max(names.length, 3)) / (2 * Math.PI);
  names.forEach((name, i) => {
    found.set(name, pointAround({ x: 0, y: 0 }, radius, i / names.length));
  });
}

function placeNearNeighbours(names: readonly string[], adjacent: Adjacency, found: Map<string, Point>): void {
  let waiting = [...names];
  while (waiting.length > 0) {
    const next = waiting.filter((name) => (adjacent.get(name) ?? []).some((near) => found.has(near)));
    const now = next.length > 0 ? next : waiting;
    const before = new Map(found);
    now.forEach((name, i) => {
      const near = (adjacent.get(name) ?? []).flatMap((other) => before.get(other) ?? []);
      const centre = near.length > 0 ? mean(near) : mean([...before.values()]);
      found.set(name, pointAround(centre, near.length > 0 ? SPACING / 2 : SPACING, i * 0.381966));
    });
    waiting = waiting.filter((name) => !found.has(name));
  }
}

/** Positions of hosts around their switch, on the side without links. */
export function hostPositions(
  hosts: readonly NetHost[],
  at: ReadonlyMap<string, Point>,
  adjacent: Adjacency,
  distance: number,
): Map<string, Point> {
  const bySwitch = new Map<string, NetHost[]>();
  for (const host of hosts) bySwitch.set(host.switch, [...(bySwitch.get(host.switch) ?? []), host]);
  const found = new Map<string, Point>();
  for (const [name, own] of bySwitch) {
    const centre = at.get(name);
    if (!centre) continue;
    const near = (adjacent.get(name) ?? []).flatMap((other) => at.get(other) ?? []);
    const free = freeAngle(centre, near);
    const step = Math.min(0.09, 0.8 / own.length);
    own.forEach((host, i) => {
      found.set(host.name, pointAround(centre, distance, free + (i - (own.length - 1) / 2) * step));
    });
  }
  return found;
}

/** The middle of the widest gap between the directions of links, in full turns. */
function freeAngle(centre: Point, near: readonly Point[]): number {
  const turns = near
    .map(({ x, y }) => Math.atan2(y - centre.y, x - centre.x) / (2 * Math.PI))
    .sort((a, b) => a - b);
  if (turns.length === 0) return 0.25;
  let [widest, middle] = [0, 0.25];
  turns.forEach((turn, i) => {
    const next = i + 1 < turns.length ? (turns[i + 1] ?? 0) : (turns[0] ?? 0) + 1;
    if (next - turn > widest) [widest, middle] = [next - turn, (turn + next) / 2];
  });
  return middle;
}

function pointAround(centre: Point, radius: number, turns: number): Point {
  const angle = 2 * Math.PI * turns;
  return { x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle) };
}

function mean(points: readonly Point[]): Point {
  const sum = (of: (point: Point) => number) =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  return { x: sum((point) => point.x), y: sum((point) => point.y) };
}
