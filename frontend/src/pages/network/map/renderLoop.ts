/**
 * Milliseconds after the last redraw in which the loop still runs.
 *
 * Cytoscape draws images of nodes in these frames, and redraws at most 100 ms later if it has drawn one.
 */
const REST = 300;

/** The parts of Cytoscape's renderer that run its loop. `smallCytoscape.ts` adds `nextFrame`. */
export interface Renderer {
  redraw: (options?: object) => void;
  nextFrame?: (step: FrameRequestCallback) => void;
}

/**
 * Stop the loop of a renderer while nothing changes, and continue it with the next redraw.
 *
 * Otherwise, Cytoscape runs a loop with each frame of the screen while a page is open.
 */
export function restWhenStill(renderer: Renderer): void {
  const redraw = renderer.redraw;
  let until = performance.now() + REST;
  let resting: FrameRequestCallback | null = null;
  renderer.nextFrame = (step) => {
    if (performance.now() < until) requestAnimationFrame(step);
    else resting = step;
  };
  renderer.redraw = (options) => {
    redraw.call(renderer, options);
    until = performance.now() + REST;
    if (!resting) return;
    requestAnimationFrame(resting);
    resting = null;
  };
}
