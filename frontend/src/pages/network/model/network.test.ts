import { expect, test } from "vitest";
import type { LiveEvent } from "@/live/stream";
import { aLink, aNetwork, aSwitch } from "./fixture";
import { applyEvents, describeChanges, networkOf, withTotals } from "./network";

const before = aNetwork(
  [aSwitch("s1", { limit: 10, entries: 5 }), aSwitch("s2", { label: "Denver" })],
  [aLink(7, "s1", "s2")],
  [["h1", "s2"]],
);

function event(kind: string, payload: Record<string, unknown>): LiveEvent {
  return { id: 1, kind, payload, at: "2026-11-28T12:00:00Z" };
}

const load = (seconds: number, packets: number) =>
  event("load", {
    at: new Date(1e12 + 1_000 * seconds).toISOString(),
    links: { 7: { packets, bytes: 100 * packets } },
  });

test("events change the objects that they name, and not the previous network", () => {
  const { network, strange } = applyEvents(before, [
    event("tables", { s1: 10 }),
    event("switch", { name: "s2", connected: false, up: true, problems: ["no masks"] }),
    event("link", { id: 7, up: false }),
  ]);
  expect(strange).toBe(false);
  expect(network.switches.get("s1")).toMatchObject({ entries: 10, limit: 10, connected: true });
  expect(network.switches.get("s2")).toMatchObject({ connected: false, problems: 1, label: "Denver" });
  expect(network.links.get(7)?.up).toBe(false);
  expect(before.switches.get("s1")?.entries).toBe(5);
  expect(describeChanges(before, network)).toEqual([
    "The table of s1 is full.",
    "Switch Denver is not connected.",
    "The link from s1 to s2 is down.",
  ]);
});

test("an unknown object or a new capacity requires another reading", () => {
  expect(applyEvents(before, [event("tables", { s9: 1 })]).strange).toBe(true);
  expect(
    applyEvents(before, [event("switch", { name: "s1", connected: true, up: true, capacity: 3 })]).strange,
  ).toBe(true);
  expect(applyEvents(before, [load(0, 5)]).strange).toBe(false);
});

test("two readings of a link's counters give its load; a reset of the counters does not", () => {
  const first = applyEvents(before, [load(0, 50)]).network;
  expect(first.links.get(7)?.load).toBeNull();
  const second = applyEvents(first, [load(2, 70)]).network;
  expect(second.links.get(7)?.load).toEqual({ packets: 10, bits: 8_000 });
  const third = applyEvents(second, [load(4, 3)]).network;
  expect(third.links.get(7)?.load).toEqual({ packets: 10, bits: 8_000 });
  expect(applyEvents(third, [load(6, 3)]).network.links.get(7)?.load).toEqual({ packets: 0, bits: 0 });
});

test("objects of the API are joined by ids, and counters survive another reading", () => {
  const row = {
    label: "",
    moved: false,
    connected: true,
    up: true,
    in_step: true,
    problems: 0,
    exact_entries: 0,
  };
  const read = networkOf({
    switches: [{ ...row, id: 4, name: "s1", x: 1, y: 2, entries: 3, budget: 9 }],
    links: [{ id: 7, a: 4, a_port: 1, b: 5, b_port: 1, up: true, load: null }],
    hosts: [{ id: 1, name: "h", switch: 4, port: 3 }],
  });
  expect(read.switches.get("s1")).toMatchObject({ limit: 9, x: 1, y: 2 });
  expect(read.links.size).toBe(0);
  expect(read.hosts.get("h")?.switch).toBe("s1");
  const counted = applyEvents(before, [load(0, 50)]).network;
  expect(withTotals(before, counted).links.get(7)?.totals?.packets).toBe(50);
});
