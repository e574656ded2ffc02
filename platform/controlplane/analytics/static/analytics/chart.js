// A chart of lines over time, in SVG: gaps are gaps, and a cursor reads the values.

import { set, svg } from "../live/dom.js";

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [240, 46, 10, 10, 24];
const NARROW = 300; // the least width
const APART = 150; // pixels between two times of the axis
const COLOURS = 8;

/** Round steps that lead from 0 to at least `most` in about `count` steps. */
export function ticks(most, count = 5) {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * size).find((one) => one >= rough);
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** The path of a line through its points; null values break it, a lone point is a dot. */
export function path(points, x, y) {
  let text = "";
  points.forEach((value, i) => {
    if (value === null) return;
    const [before, after] = [points[i - 1] ?? null, points[i + 1] ?? null];
    if (before === null) text += `M${x(i)} ${y(value)}`;
    else text += `L${x(i)} ${y(value)}`;
    if (before === null && after === null) text += "h0.01";
  });
  return text;
}

export class Chart {
  constructor(box, legend, readout) {
    Object.assign(this, { box, legend, readout, shown: null, width: 0 });
    new ResizeObserver(() => this.shown && this.#width() !== this.width && this.draw(this.shown)).observe(box);
  }

  #width() {
    return Math.max(NARROW, Math.floor(this.box.getBoundingClientRect().width));
  }

  /**
   * Draw `lines` ({name, values, limit}) at `times` (Date); `limit` are values drawn dashed or null.
   * `label` describes the chart, `format` writes a value, `clock` a time.
   */
  draw(shown) {
    const { lines, times, label, format, clock } = shown;
    const width = this.#width();
    Object.assign(this, { shown, width });
    const values = lines.flatMap((line) => [...line.values, ...(line.limit ?? [])]).filter((v) => v !== null);
    const marks = ticks(Math.max(0, ...values));
    const top = marks.at(-1);
    this.x = (i) => round(LEFT + ((width - LEFT - RIGHT) * (i + 0.5)) / times.length);
    const y = (value) => round(HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * Math.max(0, value)) / top);
    const root = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": label });
    for (const mark of marks) {
      root.append(svg("line", { class: mark ? "grid" : "axis", x1: LEFT, x2: width - RIGHT, y1: y(mark), y2: y(mark) }));
      root.append(svg("text", { x: LEFT - 6, y: y(mark) + 4, "text-anchor": "end", text: format(mark) }));
    }
    const steps = Math.min(4, Math.max(1, Math.floor((width - LEFT - RIGHT) / APART)));
    for (let n = 0; n <= steps; n += 1) {
      const i = Math.round(((times.length - 1) * n) / steps);
      const anchor = n === 0 ? "start" : n === steps ? "end" : "middle";
      root.append(svg("text", { x: this.x(i), y: HEIGHT - 6, "text-anchor": anchor, text: clock(times[i]) }));
    }
    lines.forEach((line, n) => {
      const colour = `c${n % COLOURS}`;
      if (line.limit) root.append(svg("path", { class: `limit ${colour}`, d: path(line.limit, this.x, y) }));
      root.append(svg("path", { class: `line ${colour}`, d: path(line.values, this.x, y), "stroke-linecap": "round", "data-name": line.name }));
    });
    this.cursor = svg("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
    root.append(this.cursor);
    root.addEventListener("pointermove", (event) => this.#read(event, root, { lines, times, format, clock }));
    root.addEventListener("pointerleave", () => this.#read(null));
    this.box.replaceChildren(root);
    this.#name(lines);
  }

  /** Nothing is drawn. */
  clear() {
    this.shown = null;
    for (const part of [this.box, this.legend]) part.replaceChildren();
    set(this.readout, { text: "" });
  }

  #name(lines) {
    this.legend.replaceChildren(
      ...lines.map((line, n) => {
        const swatch = svg("svg", { viewBox: "0 0 18 8", "aria-hidden": "true" }, svg("path", { class: `line c${n % COLOURS}`, d: "M0 4H18", "stroke-width": 2 }));
        const item = document.createElement("span");
        item.append(swatch, line.name);
        return item;
      }),
    );
  }

  #read(event, root, { lines, times, format, clock } = {}) {
    set(this.cursor, { visibility: event ? "visible" : "hidden" });
    if (!event) return set(this.readout, { text: "" });
    const box = root.getBoundingClientRect();
    const at = (event.clientX - box.left - LEFT) / (this.width - LEFT - RIGHT);
    const i = Math.min(times.length - 1, Math.max(0, Math.floor(at * times.length)));
    set(this.cursor, { x1: this.x(i), x2: this.x(i) });
    const told = lines.map((line) => {
      const value = line.values[i] === null ? "–" : format(line.values[i]);
      const limit = line.limit?.[i];
      return `${line.name} ${value}${limit === undefined || limit === null ? "" : ` of ${format(limit)}`}`;
    });
    return set(this.readout, { text: `${clock(times[i])}: ${told.join(" · ")}` });
  }
}

function round(value) {
  return Math.round(value * 100) / 100;
}
