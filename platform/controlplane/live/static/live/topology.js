// The network as a drawing: load as width and colour of links, tables as rings around switches.

import { byId, html, set, svg } from "./dom.js";
import { count, rate, short } from "./format.js";
import { place as placeLabels } from "./labels.js";
import { fit, layout, proportion, separate } from "./layout.js";
import { label, share, standing } from "./network.js";

const STEPS = [0, 1e-9, 10, 100, 1000]; // packets a second from which a link is drawn in the next level
const STEP_NAMES = ["idle", "<\u200a10", "10+", "100+", "1,000+ packets/s"];
const WIDTHS = [1.5, 2.5, 4, 6, 8.5];
const CROWD = 60; // beyond so many switches, labels that do not fit are left out

export class Topology {
  /** Draws `network` into #canvas; `resized` is called when it has to be drawn anew. */
  constructor(network, resized) {
    this.network = network;
    this.canvas = byId("canvas");
    this.empty = byId("network-empty");
    this.summary = byId("network-summary");
    this.legend = byId("legend");
    this.legend.append(...legend());
    this.points = new Map();
    this.drawn = "";
    new ResizeObserver(resized).observe(this.canvas);
  }

  draw() {
    const { switches, links, known, shape } = this.network;
    const any = switches.size > 0;
    this.empty.hidden = any || !known;
    this.legend.hidden = this.canvas.hidden = !any;
    set(this.summary, { text: any ? summary(switches, links) : "" });
    if (!any) return;
    const wanted = `${shape} ${this.canvas.clientWidth}`;
    if (wanted !== this.drawn) this.#build();
    this.drawn = wanted;
    for (const row of links.values()) this.#updateLink(row);
    for (const row of switches.values()) this.#updateSwitch(row);
    set(this.title, { text: `Network of ${summary(switches, links)}. The list of switches tells the same.` });
  }

  #build() {
    const switches = [...this.network.switches.values()];
    const links = [...this.network.links.values()];
    this.points = layout(switches, links, this.points);
    const width = Math.max(280, this.canvas.clientWidth);
    const pad = [Math.min(70, width * 0.1), 34];
    const ideal = (width - 2 * pad[0]) / proportion(this.points) + 2 * pad[1];
    const least = width < 500 ? width * 0.8 : width * 0.5;
    const height = Math.round(Math.min(Math.max(ideal, least), Math.max(560, width * 0.6), width));
    this.radius = Math.max(6, Math.min(15, 7 + width / 100, Math.sqrt((width * height) / switches.length) / 6));
    const at = separate(fit(this.points, width, height, pad), 3.4 * this.radius);
    this.title = svg("title", { id: "drawing-title" });
    this.linkParts = new Map(links.map((row, i) => [String(row.id), linkParts(row, at, parallel(links, i))]));
    this.switchParts = new Map(switches.map((row) => [row.name, switchParts(at.get(row.name), this.radius)]));
    const drawing = svg(
      "svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-labelledby": "drawing-title" },
      this.title,
      svg("g", {}, ...[...this.linkParts.values()].map((parts) => parts.group)),
      svg("g", {}, ...[...this.switchParts.values()].map((parts) => parts.group)),
      labels(switches, at, this.radius, width, height),
    );
    this.canvas.replaceChildren(drawing);
  }

  #updateLink(row) {
    const { group, line, title } = this.linkParts.get(String(row.id));
    const load = this.network.loads.get(String(row.id));
    const level = STEPS.findLastIndex((step) => (load?.rate ?? 0) >= step);
    set(group, { "data-level": level, "data-up": row.up });
    set(line, { "stroke-width": WIDTHS[level] });
    const flow = load?.rate == null ? "load unknown yet" : `${rate(load.rate)} packets/s, ${short(Math.round(load.bits))} bit/s`;
    const ends = `${this.#name(row.a)} port ${row.a_port} to ${this.#name(row.b)} port ${row.b_port}`;
    set(title, { text: `${ends}\ncost ${row.cost}, ${row.up ? flow : "down"}` });
  }

  #updateSwitch(row) {
    const { group, ring, number, title } = this.switchParts.get(row.name);
    const filled = share(row);
    set(group, { "data-standing": standing(row), "data-fill": fillName(filled) });
    set(ring, { "stroke-dasharray": `${(100 * Math.min(filled, 1)).toFixed(1)} 100` });
    set(number, { text: this.radius >= 9 ? short(row.entries ?? 0) : "" });
    set(title, { text: `${label(row)} (${row.name})\n${standing(row)}, ${tableText(row)}` });
  }

  #name(name) {
    return label(this.network.switches.get(name));
  }
}

/** "60 of 600 entries" and the like. */
export function tableText({ entries, tcam_budget: budget }) {
  const held = count(entries ?? 0);
  return budget === null || budget === undefined ? `${held} entries, no budget` : `${held} of ${count(budget)} entries`;
}

/** The name of a fill level, for colour. */
export function fillName(filled) {
  if (filled >= 1) return "full";
  return filled >= 0.8 ? "high" : "some";
}

function summary(switches, links) {
  const rows = [...switches.values()];
  const parts = [plural(rows.length, "switch", "switches"), plural(links.size, "link", "links")];
  const away = rows.filter((row) => standing(row) !== "connected").length;
  const down = [...links.values()].filter((row) => row.up === false).length;
  if (away) parts.push(`${count(away)} not connected`);
  if (down) parts.push(`${plural(down, "link", "links")} down`);
  return parts.join(", ");
}

function plural(number, one, many) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** How far a link is bent so that several between the same switches can be told apart. */
function parallel(links, i) {
  const same = links.filter(({ a, b }) => isPair(a, b, links[i]));
  if (same.length === 1) return 0;
  const bend = 14 * (same.indexOf(links[i]) - (same.length - 1) / 2);
  return links[i].a < links[i].b ? bend : -bend;
}

function isPair(a, b, other) {
  return (a === other.a && b === other.b) || (a === other.b && b === other.a);
}

function linkParts(row, at, bend) {
  const [x, y] = at.get(row.a);
  const [u, v] = at.get(row.b);
  const length = Math.hypot(u - x, v - y) || 1;
  const middle = [(x + u) / 2 - (2 * bend * (v - y)) / length, (y + v) / 2 + (2 * bend * (u - x)) / length];
  const d = bend ? `M${fixed(x, y)}Q${fixed(...middle)} ${fixed(u, v)}` : `M${fixed(x, y)}L${fixed(u, v)}`;
  const title = svg("title");
  const line = svg("path", { d, class: "line" });
  const touch = svg("path", { d, class: "touch", "stroke-width": 14 });
  return { group: svg("g", { class: "link" }, title, line, touch), line, title };
}

function switchParts([x, y], radius) {
  const title = svg("title");
  const ring = svg("circle", {
    class: "ring", r: radius, pathLength: 100, "stroke-dasharray": "0 100", transform: "rotate(-90)", "stroke-width": radius / 3.2,
  });
  const number = svg("text", { class: "number", "font-size": Math.max(8, radius * 0.72), dy: "0.36em" });
  const track = svg("circle", { class: "track", r: radius, "stroke-width": radius / 3.2 });
  const group = svg("g", { class: "switch", transform: `translate(${fixed(x, y)})` }, title, track, ring, number);
  return { group, ring, number, title };
}

function labels(switches, at, radius, width, height) {
  const size = width < 500 ? 10 : 12;
  const wanted = switches.map((row) => ({ text: clipped(label(row)), at: at.get(row.name) }));
  const placed = placeLabels(wanted, { radius: radius * 1.35, size, width, height, drop: switches.length > CROWD });
  const texts = placed.map(({ text, x, y, anchor }) => svg("text", { x, y, "text-anchor": anchor }, text));
  return svg("g", { class: "labels", "font-size": size, "aria-hidden": "true" }, ...texts);
}

function clipped(text) {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

function fixed(x, y) {
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}

function legend() {
  const lines = STEP_NAMES.map((name, level) => html("span", {}, sample(level), name));
  return [
    html("p", {}, html("b", {}, "Link load"), ...lines, html("span", {}, sample(0, false), "down")),
    html(
      "p", {}, html("b", {}, "Switch"),
      html("span", {}, dial("connected", 35), "entries; the ring is their share of the budget"),
      html("span", {}, dial("away", 0), "not connected"),
    ),
  ];
}

function sample(level, up = true) {
  const line = svg("path", { d: "M1 6H27", class: "line", "stroke-width": WIDTHS[level] });
  return svg(
    "svg", { width: 28, height: 12, "aria-hidden": "true" },
    svg("g", { class: "link", "data-level": level, "data-up": up }, line),
  );
}

function dial(standing, filled) {
  const { group, ring, number } = switchParts([0, 0], 10);
  set(group, { "data-standing": standing, "data-fill": "some" });
  set(ring, { "stroke-dasharray": `${filled} 100` });
  set(number, { text: filled || "" });
  return svg("svg", { width: 26, height: 26, viewBox: "-13 -13 26 26", "aria-hidden": "true" }, group);
}
