// Draws a scene with Cytoscape. This module does not depend on React.

import cytoscape, { type Core, type EventObject } from "cytoscape";
import type { Point } from "../model/neighbourhood";
import type { Palette } from "../model/scales";
import { type Renderer, restWhenStill } from "./renderLoop";
import type { Scene, SceneEdge, SceneNode } from "./scene";
import { stylesheet } from "./stylesheet";

const PADDING = 46;
const HOSTS = 34; // additional padding for the hosts outside
const NEAREST = 3;
const FARTHEST = 0.02;
const STEP = 2 ** (1 / 3); // sizes change with the zoom in these steps

export interface Viewport extends Point {
  zoom: number;
}

export interface DrawingEvents {
  /** The user clicked a node or an edge; null: the background. */
  pick: (id: string | null) => void;
  /** The pointer is over a node or an edge; null: it left it. */
  hover: (id: string | null) => void;
  /** The view moved or zoomed; `byHand`: the user did it. */
  moved: (byHand: boolean) => void;
}

export class Drawing {
  private readonly cy: Core;
  private readonly drawn = new Map<string, string>();
  private palette: Palette;
  private scale = 0;
  private guided = 0;
  private frame = 0;

  constructor(container: HTMLElement, palette: Palette, events: DrawingEvents) {
    this.palette = palette;
    this.cy = cytoscape({
      container,
      autoungrabify: true,
      autounselectify: true,
      boxSelectionEnabled: false,
      minZoom: FARTHEST,
      maxZoom: NEAREST,
      layout: { name: "preset" },
    });
    restWhenStill((this.cy as unknown as { renderer(): Renderer }).renderer());
    this.cy.on("tap", (event: EventObject) =>
      events.pick(event.target === this.cy ? null : event.target.id()),
    );
    this.cy.on("mouseover", "node, edge", (event: EventObject) => events.hover(event.target.id()));
    this.cy.on("mouseout", "node, edge", () => events.hover(null));
    this.cy.on("viewport", () => {
      const byHand = this.guided === 0;
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => {
        this.resize();
        events.moved(byHand);
      });
    });
    this.resize();
  }

  end(): void {
    cancelAnimationFrame(this.frame);
    this.cy.destroy();
  }

  get zoom(): number {
    return this.cy.zoom();
  }

  /** Units of the drawing per pixel of the screen, in steps. */
  get unit(): number {
    return this.scale;
  }

  get viewport(): Viewport {
    const { x1, y1, w, h } = this.cy.extent();
    return { zoom: this.cy.zoom(), x: x1 + w / 2, y: y1 + h / 2 };
  }

  /** Whether a point is in view, or close to it. */
  isInSight({ x, y }: Point): boolean {
    const { x1, x2, y1, y2, w, h } = this.cy.extent();
    return x > x1 - w / 8 && x < x2 + w / 8 && y > y1 - h / 8 && y < y2 + h / 8;
  }

  /** Draw a scene. Only differences to the previous scene are changed. */
  show({ nodes, edges }: Scene): void {
    this.cy.batch(() => {
      const wanted = new Set([...nodes, ...edges].map(({ id }) => id));
      for (const id of this.drawn.keys()) if (!wanted.has(id)) this.remove(id);
      for (const node of nodes) this.put(node, () => this.node(node));
      for (const edge of edges) this.put(edge, () => this.edge(edge));
    });
  }

  recolor(palette: Palette): void {
    this.palette = palette;
    this.scale = 0;
    this.resize();
  }

  /** Measure the container after its size has changed. */
  measure(): void {
    this.guide(() => this.cy.resize());
  }

  /** Move all points, and the hosts around them, into view. */
  fit(points: readonly Point[], hosts = false): void {
    if (points.length === 0) return;
    const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
    const padding = 2 * (PADDING + (hosts ? HOSTS : 0));
    const [w, h] = [this.cy.width() - padding, this.cy.height() - padding];
    const zoom = Math.min(w / Math.max(width, 1), h / Math.max(height, 1), 1.4);
    this.setViewport({ zoom: Math.max(zoom, FARTHEST), x: left + width / 2, y: top + height / 2 });
  }

  setViewport({ zoom, x, y }: Viewport): void {
    const held = Math.min(Math.max(zoom, FARTHEST), NEAREST);
    this.guide(() =>
      this.cy.viewport({
        zoom: held,
        pan: { x: this.cy.width() / 2 - x * held, y: this.cy.height() / 2 - y * held },
      }),
    );
  }

  /** Move the view to a point, if the point is not well inside it. */
  reveal(point: Point): void {
    const { x1, x2, y1, y2, w, h } = this.cy.extent();
    const [dx, dy] = [w / 8, h / 8];
    const inside = point.x > x1 + dx && point.x < x2 - dx && point.y > y1 + dy && point.y < y2 - dy;
    if (!inside) this.setViewport({ zoom: this.cy.zoom(), ...point });
  }

  zoomBy(factor: number): void {
    this.cy.zoom({
      level: this.cy.zoom() * factor,
      renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 },
    });
  }

  private guide(what: () => void): void {
    this.guided += 1;
    what();
    this.guided -= 1;
  }

  private resize(): void {
    const scale = STEP ** Math.round(Math.log(1 / this.cy.zoom()) / Math.log(STEP));
    if (scale === this.scale) return;
    this.scale = scale;
    this.cy.style(stylesheet(this.palette, scale));
  }

  private put(one: SceneNode | SceneEdge, add: () => void): void {
    const text = JSON.stringify(one);
    const before = this.drawn.get(one.id);
    if (before === text) return;
    this.drawn.set(one.id, text);
    if (before === undefined) {
      add();
      return;
    }
    const element = this.cy.getElementById(one.id);
    element.classes(one.classes);
    element.data("label", one.label);
    if ("share" in one) {
      element.data("share", one.share);
      element.position({ x: one.x, y: one.y });
    }
  }

  private node({ id, classes, label, share, x, y }: SceneNode): void {
    this.cy.add({ group: "nodes", data: { id, label, share }, classes, position: { x, y } });
  }

  private edge({ id, classes, label, source, target }: SceneEdge): void {
    this.cy.add({ group: "edges", data: { id, label, source, target }, classes });
  }

  private remove(id: string): void {
    this.drawn.delete(id);
    this.cy.getElementById(id).remove();
  }
}
