import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Renderer, restWhenStill } from "./renderLoop";

let frames: FrameRequestCallback[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
  frames = [];
  vi.stubGlobal("requestAnimationFrame", (step: FrameRequestCallback) => frames.push(step));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A renderer with a loop like Cytoscape's, and the number of its redraws. */
function started() {
  const counts = { redraws: 0, steps: 0 };
  const renderer: Renderer = {
    redraw() {
      expect(this).toBe(renderer);
      counts.redraws += 1;
    },
  };
  const step = () => {
    counts.steps += 1;
    renderer.nextFrame?.(step);
  };
  restWhenStill(renderer);
  requestAnimationFrame(step);
  return { renderer, counts };
}

/** Run the requested frames. */
function frame() {
  for (const step of frames.splice(0)) step(performance.now());
}

test("the loop runs for 300 ms, and then no frame is requested", () => {
  const { counts } = started();
  frame();
  vi.advanceTimersByTime(299);
  frame();
  expect(frames).toHaveLength(1);
  vi.advanceTimersByTime(1);
  frame();
  expect(frames).toHaveLength(0);
  expect(counts.steps).toBe(3);
});

test("a redraw continues a resting loop once, and for another 300 ms", () => {
  const { renderer, counts } = started();
  vi.advanceTimersByTime(300);
  frame();
  expect(frames).toHaveLength(0);
  renderer.redraw();
  renderer.redraw();
  expect(frames).toHaveLength(1);
  vi.advanceTimersByTime(299);
  frame();
  expect(frames).toHaveLength(1);
  expect(counts).toEqual({ redraws: 2, steps: 2 });
});
