// The counters: entries in the switches, and what hosts report of events.

import { byId, set } from "./dom.js";
import { count, milliseconds, rate } from "./format.js";

const COUNTS = ["published", "wanted", "delivered", "lost", "doubled", "unwanted"];
const FAULTS = new Set(["lost", "doubled"]);
const SPAN = 10000; // ms over which rates are taken
const SAMPLES = 100;

export class Counters {
  constructor() {
    this.totals = null; // over all reporters
    this.samples = []; // {at, published, delivered}
    this.boxes = Object.fromEntries(["entries", "delay", ...COUNTS].map((id) => [id, byId(id)]));
    this.hint = byId("traffic-hint");
  }

  /** Take the totals that the API tells. */
  load(totals) {
    this.totals = totals;
  }

  /** Take a `traffic` event, of which `at` is the time in ms. */
  report(now, at) {
    this.totals = now;
    const last = this.samples.at(-1);
    if (last && (at < last.at || now.published < last.published)) this.samples = [];
    this.samples.push({ at, published: now.published, delivered: now.delivered });
    const old = this.samples.findLastIndex((sample) => sample.at <= at - SPAN);
    this.samples.splice(0, Math.max(0, old, this.samples.length - SAMPLES));
  }

  /** Draw; `table` is {entries, switches, budget, full} of the network. */
  draw(table) {
    const totals = this.totals ?? {};
    const any = COUNTS.some((name) => totals[name] > 0);
    this.hint.hidden = any || !this.totals;
    for (const name of COUNTS) this.#box(name, any ? count(totals[name]) : "–", "", FAULTS.has(name) && totals[name] > 0);
    if (any) this.#notes(totals);
    const { p50, p99 } = totals.delay_ms ?? {};
    this.#box("delay", any ? `${milliseconds(p50)} · ${milliseconds(p99)}` : "–", any ? "ms" : "");
    const where = `${count(table.switches)} ${table.switches === 1 ? "switch" : "switches"}`;
    const full = table.full ? `, ${count(table.full)} full` : "";
    this.#box("entries", count(table.entries), table.switches ? where + full : "", false);
  }

  #notes(totals) {
    for (const name of ["published", "delivered"]) {
      const now = this.#rate(name);
      set(this.boxes[name].lastElementChild, { text: now === null ? "" : `${rate(now)} /s` });
    }
    const kept = totals.wanted - totals.lost;
    const share = totals.wanted ? `${((100 * totals.lost) / totals.wanted).toPrecision(2)} % of wanted` : "";
    set(this.boxes.lost.lastElementChild, { text: totals.lost ? share : kept > 0 ? "none" : "" });
    set(this.boxes.doubled.lastElementChild, { text: totals.doubled ? "" : kept > 0 ? "none" : "" });
    const came = totals.delivered;
    const excess = came ? `${((100 * totals.unwanted) / came).toFixed(1)} % of delivered` : "";
    set(this.boxes.unwanted.lastElementChild, { text: excess });
  }

  #rate(name) {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    return first && last.at > first.at ? (1000 * (last[name] - first[name])) / (last.at - first.at) : null;
  }

  #box(name, text, note, bad = false) {
    const box = this.boxes[name];
    set(box, { "data-bad": bad ? "" : null });
    set(box.children[1], { text });
    set(box.children[2], { text: note });
  }
}
