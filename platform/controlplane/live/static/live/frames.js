// Drawing at most a few times a second, in animation frames, however many events come in.

export class Frames {
  /** `gap`: the least time in ms between two drawings. */
  constructor(gap = 100) {
    this.gap = gap;
    this.waiting = new Map();
    this.last = 0;
    this.frame = 0;
  }

  /** Draw `name` by calling `draw` with the next frame; asked for often, it is drawn once. */
  ask(name, draw) {
    this.waiting.set(name, draw);
    if (!this.frame) this.frame = requestAnimationFrame((now) => this.#run(now));
  }

  #run(now) {
    if (now - this.last < this.gap) {
      this.frame = requestAnimationFrame((later) => this.#run(later));
      return;
    }
    this.frame = 0;
    this.last = now;
    const drawings = [...this.waiting.values()];
    this.waiting.clear();
    for (const draw of drawings) draw();
  }
}
