import type { Viewport } from "./drawing";

/** Format the view of the drawing for the address: zoom and the point in the middle. */
export function formatViewport({ zoom, x, y }: Viewport): string {
  return `${zoom.toPrecision(3)}_${Math.round(x)}_${Math.round(y)}`;
}

/** Parse a view of the address; null if the text is invalid. */
export function parseViewport(text: string): Viewport | null {
  const [zoom, x, y, more] = text.split("_").map(Number);
  if (!zoom || !(zoom > 0) || x === undefined || y === undefined || more !== undefined) return null;
  return Number.isFinite(zoom + x + y) ? { zoom, x, y } : null;
}
