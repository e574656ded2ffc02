// Omits labels that would overlap each other or a switch, less important ones first.

import type { SceneNode } from "./scene";

const LETTER = 6.4; // pixels, about
const LINE = 13;
const RADIUS = 15;
const WORTH = ["selected", "root", "on-path", "fill-full", "fill-high"];

const PLACES = ["below", "above", "right", "left"] as const;
type Place = (typeof PLACES)[number];

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * Place labels in free space: below, above, right or left of the node (a class names the place), otherwise no label.
 *
 * `unit` is the number of units of the drawing per pixel.
 */
export function thinLabels(nodes: readonly SceneNode[], unit: number): SceneNode[] {
  const taken = new Grid();
  for (const node of nodes) taken.add(nodeBox(node, unit));
  const kept = new Map<string, Place>();
  const order = [...nodes].sort((a, b) => labelPriority(b) - labelPriority(a) || (a.id < b.id ? -1 : 1));
  for (const node of order) {
    if (isGroup(node)) continue; // its number is inside
    const free = PLACES.find((place) => !taken.meets(labelBox(node, place, unit)));
    const place = free ?? (labelPriority(node) < WORTH.length ? undefined : "below");
    if (!place) continue;
    kept.set(node.id, place);
    taken.add(labelBox(node, place, unit));
  }
  return nodes.map((node) => {
    if (isGroup(node)) return node;
    const place = kept.get(node.id);
    if (!place) return { ...node, label: "" };
    return place === "below" ? node : { ...node, classes: `${node.classes} label-${place}` };
  });
}

const isHost = ({ id }: SceneNode) => id.startsWith("h:");
const isGroup = ({ id }: SceneNode) => id.startsWith("group:");

/** Priority of a label: selected and marked nodes first, hosts last. */
function labelPriority(node: SceneNode): number {
  if (isHost(node) && !/selected|on-path/.test(node.classes)) return -1;
  const classes = node.classes.split(" ");
  const place = WORTH.findIndex((name) => classes.includes(name));
  return place === 0 ? WORTH.length : place < 0 ? 0 : WORTH.length - 1 - place;
}

const radius = (node: SceneNode) => (isHost(node) ? 7 : RADIUS);

function nodeBox(node: SceneNode, unit: number): Box {
  const [x, y, r] = [node.x / unit, node.y / unit, radius(node)];
  return { left: x - r, right: x + r, top: y - r, bottom: y + r };
}

/** Box of a node's label at a place. */
function labelBox(node: SceneNode, place: Place, unit: number): Box {
  const lines = node.label.split("\n");
  const width = LETTER * Math.max(...lines.map((line) => line.length));
  const height = LINE * lines.length;
  const [x, y, r] = [node.x / unit, node.y / unit, radius(node) + 1];
  if (place === "left" || place === "right") {
    const left = place === "right" ? x + r : x - r - width;
    return { left, right: left + width, top: y - height / 2, bottom: y + height / 2 };
  }
  const top = place === "below" ? y + r : y - r - height;
  return { left: x - width / 2, right: x + width / 2, top, bottom: top + height };
}

/** Boxes with a fast test for overlaps. */
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
