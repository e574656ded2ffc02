// Alarms: what needs a person.

import { byId, html, reconcile, set } from "./dom.js";
import { count, time } from "./format.js";

const KEPT = 100;

export class Alarms {
  constructor() {
    this.rows = [];
    this.since = null;
    this.list = byId("alarms");
    this.empty = byId("alarms-empty");
    this.summary = byId("alarms-summary");
  }

  /** Take an `alarm` event. */
  add({ id, at, payload }) {
    this.rows.unshift({ id, at: payload.at ?? at, text: payload.text ?? "" });
    this.rows.length = Math.min(this.rows.length, KEPT);
  }

  /** Tell that there may have been alarms which the page did not get. */
  missed(newest) {
    const text = "Alarms may be missing here: the page was away for longer than the server keeps events.";
    this.add({ id: `missed ${newest}`, at: new Date().toISOString(), payload: { text } });
  }

  /** Remember the time of the oldest event that was looked at. */
  saw(at) {
    this.since ??= at;
  }

  draw() {
    const since = this.since ? ` since ${time(this.since).text}` : "";
    this.empty.hidden = this.rows.length > 0;
    set(this.empty, { text: `No alarm${since}. Lost switches, refused entries and drift are told here.` });
    set(this.summary, { text: this.rows.length ? `${count(this.rows.length)}${since}` : "" });
    reconcile(this.list, this.rows, (row) => row.id, created, () => {});
  }
}

function created(row) {
  const when = html("time");
  set(when, time(row.at));
  return html("li", {}, when, " ", html("span", {}, row.text));
}
