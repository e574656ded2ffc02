// What the page knows of the network: switches and links, how full and how loaded they are.

export class Network {
  constructor() {
    this.switches = new Map(); // by name
    this.links = new Map(); // by id
    this.loads = new Map(); // by link id: {at, packets, bytes, rate, bits}
    this.known = false;
    this.shape = 0; // grows whenever switches or links come or go
  }

  /** Take what `GET /switches/` and `GET /links/` list. */
  load(switches, links) {
    const shape = JSON.stringify([switches.map(place), links.map(ends)]);
    this.switches = new Map(switches.map((row) => [row.name, row]));
    this.links = new Map(links.filter((row) => this.#joined(row)).map((row) => [String(row.id), row]));
    for (const id of this.loads.keys()) if (!this.links.has(id)) this.loads.delete(id);
    this.known = true;
    if (shape !== this.drawn) this.shape += 1;
    this.drawn = shape;
  }

  /** Take a `switch` event; false when the switch is not known, so that the lists must be read again. */
  changeSwitch({ name, ...change }) {
    const row = this.switches.get(name);
    if (row) Object.assign(row, change);
    return Boolean(row);
  }

  /** Take a `link` event; likewise. */
  changeLink({ id, ...change }) {
    const row = this.links.get(String(id));
    if (row) Object.assign(row, change);
    return Boolean(row);
  }

  /** Take a `tables` event: entries by switch. */
  fill(tables) {
    let known = true;
    for (const [name, entries] of Object.entries(tables)) known = this.changeSwitch({ name, entries }) && known;
    return known;
  }

  /** Take an `exact` event: by switch, the entries that it would have without aggregation. */
  fillExact(counts) {
    let known = true;
    for (const [name, exact] of Object.entries(counts)) {
      known = this.changeSwitch({ name, exact_entries: exact }) && known;
    }
    return known;
  }

  /** Take a `load` event: totals by link, which give rates from the second one on. */
  measure({ links, at }) {
    const now = Date.parse(at);
    for (const [id, { packets, bytes }] of Object.entries(links ?? {})) {
      const before = this.loads.get(id);
      const seconds = before ? (now - before.at) / 1000 : 0;
      const grew = before && packets >= before.packets && seconds > 0;
      this.loads.set(id, {
        at: now, packets, bytes,
        rate: grew ? (packets - before.packets) / seconds : null,
        bits: grew ? (8 * (bytes - before.bytes)) / seconds : null,
      });
    }
  }

  /** Sums for the counters. */
  get table() {
    const rows = [...this.switches.values()];
    const full = rows.filter((row) => share(row) >= 1).length;
    return { entries: rows.reduce((sum, row) => sum + (row.entries ?? 0), 0), switches: rows.length, full };
  }

  #joined({ a, b }) {
    return this.switches.has(a) && this.switches.has(b);
  }
}

/** How full a switch's table is, from 0 on; 0 without a budget. */
export function share({ entries, tcam_budget: budget }) {
  if (budget === null || budget === undefined) return 0;
  return budget > 0 ? (entries ?? 0) / budget : entries ? 1 : 0;
}

/** What a switch is called where people read it. */
export function label(row) {
  return row.label || row.name;
}

/** "connected", "away" or "down", in this order of good news. */
export function standing({ up, connected }) {
  if (up === false) return "down";
  return connected ? "connected" : "away";
}

function place(row) {
  return [row.name, row.label, row.latitude, row.longitude];
}

function ends(row) {
  return [row.id, row.a, row.b];
}
