import type { LiveEvent } from "./stream";

type Take = (events: LiveEvent[]) => void;

/** Batches of events: at most one per period for all listeners. The first event is delivered immediately. */
export class Batches {
  private readonly listeners = new Set<{ kinds: readonly string[]; take: Take }>();
  private waiting: LiveEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = 0;
  private readonly period: number;

  constructor(period = 1_000) {
    this.period = period;
  }

  add(event: LiveEvent): void {
    this.waiting.push(event);
    if (this.timer !== undefined) return;
    const wait = Math.max(0, this.last + this.period - Date.now());
    this.timer = setTimeout(() => this.flush(), wait);
  }

  /** Register a listener for some kinds. Returns a function that removes it. */
  listen(kinds: readonly string[], take: Take): () => void {
    const listener = { kinds, take };
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
  }

  private flush(): void {
    this.timer = undefined;
    this.last = Date.now();
    const events = this.waiting;
    this.waiting = [];
    for (const { kinds, take } of this.listeners) {
      const theirs = events.filter(({ kind }) => kinds.includes(kind));
      if (theirs.length > 0) take(theirs);
    }
  }
}
