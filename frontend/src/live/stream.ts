// Client of the live stream. It resumes after the last event, and reconnects automatically.

import { text } from "./text";

const PATH = "/ws/v1/live/";
const SILENCE = 25_000; // the server pings every 10 s
const WAITS = [300, 1_000, 2_000, 5_000, 10_000, 15_000];
const STEADY = 10_000; // a connection that lasted this long resets the waits
const LOGGED_OUT = 4401;

export interface LiveEvent {
  id: number;
  kind: string;
  payload: Record<string, unknown>;
  at: string;
}

export interface LiveState {
  name: "connecting" | "live" | "away";
  /** Time of the last message from the server, in ms since 1970; 0: none. */
  heard: number;
  why?: string;
  retryAt?: number;
  loggedOut?: boolean;
}

export interface Listeners {
  /** Called with each event, in order and once. */
  event: (event: LiveEvent) => void;
  /** Called when events are lost. Read the state again. */
  reload: () => void;
  state: (state: LiveState) => void;
}

export class Stream {
  private last: number | null = null;
  private heard = 0;
  private tries = 0;
  private openedAt = 0;
  private why = "";
  private socket: WebSocket | null = null;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private readonly on: Listeners;

  constructor(on: Listeners) {
    this.on = on;
  }

  /** Connect now, and again after every loss of the connection. */
  open(): void {
    clearTimeout(this.retry);
    this.retry = undefined;
    this.report({ name: "connecting" });
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${PATH}`);
    this.socket = socket;
    this.openedAt = Date.now();
    this.why = "";
    this.watch();
    socket.onmessage = ({ data }) => socket === this.socket && this.take(JSON.parse(data));
    socket.onclose = ({ code, reason }) => socket === this.socket && this.lost(code, reason);
  }

  /** Disconnect and stay disconnected. */
  close(): void {
    clearTimeout(this.retry);
    clearTimeout(this.silence);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** Reconnect now instead of waiting for the next attempt. */
  hurry(): void {
    if (this.retry === undefined) return;
    this.tries = 0;
    this.open();
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol
  private take(message: any): void {
    this.heard = Date.now();
    this.watch();
    switch (message.type) {
      case "hello":
        // No event reports changes from before the first connection. So data that was read before may be old.
        if (this.last === null && this.tries > 0) this.on.reload();
        this.last ??= message.newest;
        this.send({ type: "from", id: this.last });
        break;
      case "reload":
        this.last = message.newest;
        this.on.reload();
        this.send({ type: "from", id: message.newest });
        break;
      case "up-to-date":
      case "replayed":
        this.report({ name: "live" });
        break;
      case "event":
        this.last = message.id;
        this.on.event(message);
        break;
      case "ping":
        this.last = Math.max(this.last ?? 0, message.newest); // all earlier events were sent, or are not for this user
        break;
      case "error":
        this.why = message.detail;
        break;
    }
  }

  private lost(code: number, reason: string): void {
    clearTimeout(this.silence);
    this.socket = null;
    if (Date.now() - this.openedAt > STEADY) this.tries = 0;
    const wait = (WAITS[Math.min(this.tries, WAITS.length - 1)] ?? 300) * (0.8 + 0.4 * Math.random());
    this.tries += 1;
    this.retry = setTimeout(() => this.open(), wait);
    this.report({
      name: "away",
      why: reason || this.why || text.reasons.lost,
      retryAt: Date.now() + wait,
      loggedOut: code === LOGGED_OUT,
    });
  }

  /** Reconnect after a silence longer than the interval of pings. The network may notice a lost server much later. */
  private watch(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      const socket = this.socket;
      this.lost(0, text.reasons.silent);
      socket?.close();
    }, SILENCE);
  }

  private send(message: object): void {
    this.socket?.send(JSON.stringify(message));
  }

  private report(state: Omit<LiveState, "heard">): void {
    this.on.state({ heard: this.heard, ...state });
  }
}
