// The badge that says whether the page is live, and how old its data is when it is not.

import { byId, set } from "./dom.js";
import { age } from "./format.js";

export class Badge {
  constructor() {
    this.badge = byId("badge");
    this.text = byId("badge-text");
    this.news = byId("badge-news");
    this.state = { name: "connecting", heard: 0 };
    setInterval(() => this.#draw(), 1000);
  }

  /** Show a state of the stream; a change of it is announced, the passing seconds are not. */
  show(state) {
    const shown = this.state.name;
    // The short attempts of a lost stream to come back are still its being away.
    this.state = state.name === "connecting" && shown === "away" ? { ...this.state, trying: true } : state;
    this.#draw();
    if (this.state.name !== shown) {
      set(this.news, { text: this.state.name === "live" ? "Live" : `Not live. ${state.why ?? ""}` });
    }
  }

  #draw() {
    set(this.badge, { "data-state": this.state.name, title: this.state.why ?? null });
    set(this.text, { text: this.#sentence() });
  }

  #sentence() {
    const { name, heard, retryAt, trying } = this.state;
    if (name === "live") return "Live";
    if (name === "connecting") return "Connecting…";
    const old = heard ? `data ${age((Date.now() - heard) / 1000)} old` : "no data yet";
    const next = Math.max(0, Math.ceil((retryAt - Date.now()) / 1000));
    return `Stream away · ${old} · ${trying || next === 0 ? "trying now" : `next try in ${next} s`}`;
  }
}
