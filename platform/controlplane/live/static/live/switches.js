// The switches as a list: what the drawing tells, for those who do not see it.

import { Budget } from "./budget.js";
import { byId, html, reconcile, set, svg } from "./dom.js";
import { count } from "./format.js";
import { label, share, standing } from "./network.js";
import { fillName } from "./topology.js";

const BAR = 72;

export class Switches {
  /** `editable` is whether budgets may be changed here; it may become so later. */
  constructor(network) {
    this.network = network;
    this.editable = false;
    this.budgets = new Map(); // by switch
    this.table = byId("switches");
    this.body = this.table.tBodies[0];
    this.panel = byId("switches").closest(".panel");
  }

  draw() {
    const rows = [...this.network.switches.values()].sort((a, b) => label(a).localeCompare(label(b)));
    this.panel.hidden = rows.length === 0;
    set(this.table, { "data-editable": this.editable });
    const links = degrees(this.network.links);
    for (const name of this.budgets.keys()) if (!this.network.switches.has(name)) this.budgets.delete(name);
    reconcile(this.body, rows, (row) => row.name, (row) => this.#created(row), (element, row) => {
      updated(element, row, links.get(row.name));
      this.budgets.get(row.name).update(row);
    });
  }

  #created(row) {
    const budget = new Budget(row);
    this.budgets.set(row.name, budget);
    return created(row, budget.cell);
  }
}

/** Links by switch: {all, down}. */
function degrees(links) {
  const found = new Map();
  for (const { a, b, up } of links.values()) {
    for (const name of [a, b]) {
      const old = found.get(name) ?? { all: 0, down: 0 };
      found.set(name, { all: old.all + 1, down: old.down + (up === false ? 1 : 0) });
    }
  }
  return found;
}

function created(row, budget) {
  const bar = svg(
    "svg", { class: "bar-chart", width: BAR, height: 8, "aria-hidden": "true" },
    svg("rect", { class: "track", width: BAR, height: 8, rx: 2 }),
    svg("rect", { class: "value", height: 8, rx: 2, width: 0 }),
  );
  return html(
    "tr", {},
    html("th", { scope: "row" }, html("span", {}), html("span", { class: "aside" }), html("div", { class: "trouble" })),
    html("td", {}, html("span", { class: "state" })),
    html("td", { class: "load" }, bar, html("span")),
    html("td", { class: "num exact" }),
    budget,
    html("td", { class: "num broad" }),
    html("td", { class: "wide mono" }, row.dpid ?? ""),
  );
}

/** What the switch cannot do, and how much less its table holds than its budget says. */
function troubles({ problems, capacity, tcam_budget: budget }) {
  const short = capacity != null && (budget == null || capacity < budget);
  return [...(short ? [`full with ${count(capacity)} entries`] : []), ...(problems ?? [])];
}

function updated(element, row, links = { all: 0, down: 0 }) {
  const [name, state, table, exact, , degree] = element.children;
  set(name.children[0], { text: label(row) });
  set(name.children[1], { text: row.label && row.label !== row.name ? row.name : "" });
  set(name.children[2], { text: troubles(row).join("; "), hidden: troubles(row).length ? null : "" });
  set(state.firstElementChild, { text: standing(row), "data-state": standing(row) });
  const filled = share(row);
  const [bar, text] = table.children;
  set(bar, { "data-fill": fillName(filled), hidden: row.tcam_budget == null ? "" : null });
  set(bar.lastElementChild, { width: (BAR * Math.min(filled, 1)).toFixed(1) });
  const budget = row.tcam_budget == null ? "no budget" : count(row.tcam_budget);
  set(text, { text: `${count(row.entries ?? 0)} / ${budget}` });
  set(exact, { text: count(row.exact_entries ?? 0) });
  set(degree, { text: links.down ? `${count(links.all)} (${count(links.down)} down)` : count(links.all) });
}
