// The last requests of the log, with their states and times.

import { byId, html, reconcile, set } from "./dom.js";
import { count, duration, time } from "./format.js";

const KEPT = 50;
const KINDS = {
  advertise: "Advertise", unadvertise: "Withdraw advertisement",
  subscribe: "Subscribe", unsubscribe: "Withdraw subscription",
};

export class Requests {
  constructor() {
    this.rows = new Map();
    this.table = byId("requests");
    this.body = this.table.tBodies[0];
    this.empty = byId("requests-empty");
    this.summary = byId("requests-summary");
    this.known = false;
    this.bulk = "";
  }

  /** How many rows to read. */
  get size() {
    return KEPT;
  }

  /** Take what `GET /requests/` lists. */
  load(rows) {
    this.rows = new Map(rows.map((row) => [row.id, fromRest(row)]));
    this.known = true;
  }

  /** Take a `request` event; false when it is new, so that the list must be read to tell what it is about. */
  change(event) {
    const row = this.rows.get(event.id);
    this.rows.set(event.id, { ...row, ...event });
    if (this.rows.size > 2 * KEPT) this.#trim();
    return Boolean(row);
  }

  /** Take a `requests` event: many at once, told as numbers by state. */
  changeMany({ last, ...states }) {
    const parts = Object.entries(states).filter(([, number]) => Number.isFinite(number));
    this.bulk = parts.map(([state, number]) => `${count(number)} ${state}`).join(", ");
  }

  /** Draw the newest. */
  draw() {
    this.#trim();
    const rows = [...this.rows.values()].sort((a, b) => b.id - a.id);
    this.table.hidden = rows.length === 0;
    this.empty.hidden = rows.length > 0 || !this.known;
    set(this.summary, { text: this.bulk && `last batch: ${this.bulk}` });
    reconcile(this.body, rows, (row) => row.id, created, updated);
  }

  #trim() {
    const ids = [...this.rows.keys()].sort((a, b) => b - a);
    for (const id of ids.slice(KEPT)) this.rows.delete(id);
  }
}

function fromRest(row) {
  return { ...row, received_at: row.stage?.received, confirmed_at: row.stage?.confirmed };
}

function created(row) {
  return html(
    "tr", {},
    html("td", { class: "num" }, html("a", { href: `/api/v1/requests/${Number(row.id)}/` }, String(row.id))),
    html("td", {}, html("span", { class: "kind" }), " ", html("span", { class: "object" }), html("p", { class: "problem" })),
    html("td", {}, html("span", { class: "state" }), html("span", { class: "aside" })),
    html("td", {}, html("time"), html("span", { class: "aside narrow" })),
    html("td", { class: "num broad" }),
  );
}

function updated(element, row) {
  const [, what, state, received, took] = element.children;
  const why = row.problem && (row.problem.detail || row.problem.title);
  set(what.children[0], { text: KINDS[row.kind] ?? sentence(row.kind) });
  set(what.children[1], { text: row.object?.name ?? "" });
  set(what.children[2], { text: why ?? "" });
  what.children[2].hidden = !why;
  set(state.children[0], { text: row.state, "data-state": row.state });
  set(state.children[1], { text: row.matched === false && row.state === "active" ? " no match yet" : "" });
  set(received.firstElementChild, time(row.received_at));
  const ended = row.confirmed_at ? new Date(row.confirmed_at) - new Date(row.received_at) : NaN;
  set(received.lastElementChild, { text: duration(ended) });
  set(took, { text: duration(ended) });
}

function sentence(kind) {
  const words = String(kind ?? "request").replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
