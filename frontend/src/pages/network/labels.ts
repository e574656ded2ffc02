// Labels that would lie on each other or on a switch are left out, the less important ones first.

import type { SceneNode } from "./scene";

const LETTER = 6.4; // pixels, about
const LINE = 13;
const RADIUS = 15;
const WORTH = ["selected", "root", "on-path", "fill-full", "fill-high"];

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The nodes, with empty labels where there is no room for them; `unit` is units of the drawing for a pixel. */
export function thinned(nodes: readonly SceneNode[], unit: number): SceneNode[] {
  const taken = new Grid();
  for (const node of nodes) if (!isHost(node)) taken.add(around(node, unit));
  const kept = new Set<string>();
  const order = [...nodes].sort((a, b) => worth(b) - worth(a) || (a.id < b.id ? -1 : 1));
  for (const node of order) {
    if (isGroup(node)) continue; // its number stands inside
    const box = below(node, unit);
    if (taken.meets(box) && worth(node) < WORTH.length) continue;
    kept.add(node.id);
    taken.add(box);
  }
  return nodes.map((node) => (isGroup(node) || kept.has(node.id) ? node : { ...node, label: "" }));
}

const isHost = ({ id }: SceneNode) => id.startsWith("h:");
const isGroup = ({ id }: SceneNode) => id.startsWith("group:");

/** What is selected or marked comes first, hosts last. */
function worth(node: SceneNode): number {
  if (isHost(node) && !/selected|on-path/.test(node.classes)) return -1;
  const classes = node.classes.split(" ");
  const place = WORTH.findIndex((name) => classes.includes(name));
  return place === 0 ? WORTH.length : place < 0 ? 0 : WORTH.length - 1 - place;
}

function around({ x, y }: SceneNode, unit: number): Box {
  const [px, py] = [x / unit, y / unit];
  return { left: px - RADIUS, right: px + RADIUS, top: py - RADIUS, bottom: py + RADIUS };
}

function below(node: SceneNode, unit: number): Box {
  const lines = node.label.split("\n");
  const half = (LETTER * Math.max(...lines.map((line) => line.length))) / 2;
  const [x, y] = [node.x / unit, node.y / unit];
  const top = y + (isHost(node) ? 7 : RADIUS) + 1;
  return { left: x - half, right: x + half, top, bottom: top + LINE * lines.length };
}

/** Boxes that can be asked whether another one meets them, without looking at all. */
class Grid {
  private readonly squares = new Map<string, Box[]>();
  private readonly size = 64;

  add(box: Box): void {
    for (const key of this.keys(box)) {
      const list = this.squares.get(key);
      if (list) list.push(box);
      else this.squares.set(key, [box]);
    }
  }

  meets(box: Box): boolean {
    for (const key of this.keys(box))
      for (const other of this.squares.get(key) ?? [])
        if (
          box.left < other.right &&
          box.right > other.left &&
          box.top < other.bottom &&
          box.bottom > other.top
        )
          return true;
    return false;
  }

  private *keys({ left, right, top, bottom }: Box): Generator<string> {
    const at = (pixels: number) => Math.floor(pixels / this.size);
    for (let x = at(left); x <= at(right); x++) for (let y = at(top); y <= at(bottom); y++) yield `${x} ${y}`;
  }
}
