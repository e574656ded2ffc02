// Reading a part of the state over REST: once however often it is asked for, again when it fails.

const RETRY = 3000; // ms

export class Reader {
  /**
   * `parts` read; each gives a function that puts what it read in place, which is done once all have been
   * read. Then `done` is called, or `failed` with the error before another try.
   */
  constructor(parts, done, failed) {
    this.on = { parts, done, failed };
    this.timer = 0;
    this.busy = false;
    this.again = false;
  }

  /** Read after `delay` ms; what is asked for while a reading is under way is read once more after it. */
  ask(delay) {
    if (this.busy) this.again = true;
    else if (!this.timer) this.timer = setTimeout(() => this.#read(delay), delay);
  }

  async #read(delay) {
    this.timer = 0;
    this.busy = true;
    let next = null;
    try {
      const puts = await Promise.all(this.on.parts.map((part) => part()));
      for (const put of puts) put();
      this.busy = false;
      this.on.done();
    } catch (error) {
      this.busy = false;
      next = RETRY;
      this.on.failed(error);
    }
    if (this.again) next ??= delay;
    this.again = false;
    if (next !== null) this.ask(next);
  }
}
