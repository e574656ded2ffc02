// The budget of a switch as a field, for those who may change it.

import { change } from "./api.js";
import { html, set } from "./dom.js";

const NUMBER = /^[0-9]{1,8}$/;

export class Budget {
  /** `row` is the switch as the network knows it. */
  constructor(row) {
    this.row = row;
    this.busy = false;
    this.shown = ""; // what the field shows while nobody types
    this.field = html("input", {
      type: "text", inputmode: "numeric", maxlength: 8, size: 7, placeholder: "none", autocomplete: "off",
      title: "Content entries the table may hold; empty is any number",
    });
    this.button = html("button", { type: "submit" }, "Set");
    this.form = html("form", { class: "budget", novalidate: "" }, this.field, this.button);
    this.note = html("p", { class: "problem", role: "status", hidden: "" });
    this.cell = html("td", { class: "budget-cell" }, this.form, this.note);
    this.field.addEventListener("input", () => this.#mark());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
  }

  /** Show the budget of `row`; what is being typed stays. */
  update(row) {
    if (this.field.value === this.shown) this.field.value = written(row);
    this.row = row;
    this.shown = written(row);
    set(this.field, { "aria-label": `Budget of ${row.name}, in entries` });
    this.#mark();
  }

  #mark() {
    this.button.hidden = this.field.value.trim() === this.shown && !this.busy;
    this.button.disabled = this.busy;
  }

  async #send() {
    const typed = this.field.value.trim();
    if (this.busy) return;
    if (typed && !NUMBER.test(typed)) {
      this.#say(`"${typed}" is no budget: write a whole number from 0 on, or nothing`);
      return;
    }
    this.busy = true;
    this.#say("");
    this.#mark();
    try {
      const budget = typed ? Number(typed) : null;
      const request = await change(`switches/${this.row.id}/`, { tcam_budget: budget });
      if (request.state === "failed") this.#say(request.problem?.detail ?? "it failed");
      else if (request.state !== "active") this.#say(`request ${request.id} is ${request.state}`, "wait");
      else {
        this.row.tcam_budget = budget;
        this.shown = written(this.row);
      }
    } catch (error) {
      this.#say(error.message);
    }
    this.busy = false;
    this.#mark();
  }

  #say(text, kind = "bad") {
    this.note.hidden = !text;
    set(this.note, { text, "data-kind": kind });
  }
}

function written(row) {
  return row.tcam_budget == null ? "" : String(row.tcam_budget);
}
