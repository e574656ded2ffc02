// Small networks for the tests of this page.

import type { NetLink, NetSwitch, Network } from "./network";

export function aSwitch(name: string, fields: Partial<NetSwitch> = {}): NetSwitch {
  const known = { id: 1, name, label: "", x: null, y: null, entries: 0, limit: null };
  return { ...known, up: true, connected: true, problems: 0, ...fields };
}

export function aLink(id: number, a: string, b: string, fields: Partial<NetLink> = {}): NetLink {
  return { id, a, aPort: id, b, bPort: id, up: true, load: null, totals: null, ...fields };
}

export function aNetwork(switches: NetSwitch[], links: NetLink[], hosts: [string, string][] = []): Network {
  return {
    switches: new Map(switches.map((row) => [row.name, row])),
    links: new Map(links.map((row) => [row.id, row])),
    hosts: new Map(hosts.map(([name, at], i) => [name, { id: i, name, switch: at, port: 90 + i }])),
  };
}

/** Pseudorandom numbers from 0 to 1, equal in each run. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
