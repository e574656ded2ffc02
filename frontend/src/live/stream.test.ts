// @vitest-environment jsdom

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Stream } from "./stream";

class Socket {
  static all: Socket[] = [];
  onmessage: (event: { data: string }) => void = () => {};
  onclose: (event: { code: number; reason: string }) => void = () => {};
  said: unknown[] = [];
  constructor() {
    Socket.all.push(this);
  }
  send(text: string) {
    this.said.push(JSON.parse(text));
  }
  close() {}
  hear(message: object) {
    this.onmessage({ data: JSON.stringify(message) });
  }
}

const listeners = () => ({ event: vi.fn(), reload: vi.fn(), state: vi.fn() });
const latest = () => Socket.all.at(-1) as Socket;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  Socket.all = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a stream that connects at the first attempt continues from the newest event, without a reload", () => {
  const on = listeners();
  new Stream(on).open();
  latest().hear({ type: "hello", newest: 7 });
  expect(latest().said).toEqual([{ type: "from", id: 7 }]);
  expect(on.reload).not.toHaveBeenCalled();
});

test("a stream that connects later reloads all data, since no event reports earlier changes", () => {
  const on = listeners();
  new Stream(on).open();
  latest().onclose({ code: 1006, reason: "" });
  vi.advanceTimersByTime(1_000);
  expect(Socket.all).toHaveLength(2);
  latest().hear({ type: "hello", newest: 7 });
  expect(on.reload).toHaveBeenCalledTimes(1);
});

test("a stream that reconnects continues after its last event", () => {
  const on = listeners();
  new Stream(on).open();
  latest().hear({ type: "hello", newest: 7 });
  latest().hear({ type: "event", id: 9, kind: "request", payload: {}, at: "" });
  latest().onclose({ code: 1006, reason: "" });
  vi.advanceTimersByTime(1_000);
  latest().hear({ type: "hello", newest: 30 });
  expect(latest().said).toEqual([{ type: "from", id: 9 }]);
  expect(on.reload).not.toHaveBeenCalled();
});
