// What the page knows of the network, and how the events of the live stream change it.

import type { Schemas } from "@/api/client";
import type { LiveEvent } from "@/live/stream";

export interface NetSwitch {
  id: number;
  name: string;
  label: string;
  /** Null: it waits for a link, to lie beside a neighbour. */
  x: number | null;
  y: number | null;
  entries: number;
  /** How many entries its table is planned for at most, by budget and capacity; null: any number. */
  limit: number | null;
  up: boolean;
  connected: boolean;
  /** How many things it lacks, or refused. */
  problems: number;
}

export interface NetLink {
  id: number;
  a: string;
  aPort: number;
  b: string;
  bPort: number;
  up: boolean;
  /** Null while it is not known. */
  load: Load | null;
  /** As told last; since the switches counted from zero. */
  totals: LinkTotals | null;
}

/** A second, by both ends. */
export interface Load {
  packets: number;
  bits: number;
}

export interface LinkTotals {
  at: number; // ms since 1970
  packets: number;
  bytes: number;
}

export interface NetHost {
  id: number;
  name: string;
  switch: string;
  port: number;
}

export interface Network {
  switches: ReadonlyMap<string, NetSwitch>;
  links: ReadonlyMap<number, NetLink>;
  hosts: ReadonlyMap<string, NetHost>;
}

export type SwitchState = "connected" | "away" | "down";

/** "down": the planner does without it; "away": it has no connection to the controller. */
export function switchState({ up, connected }: NetSwitch): SwitchState {
  if (!up) return "down";
  return connected ? "connected" : "away";
}

/** How full a table is, from 0 on; null where there is no limit. */
export function fill({ entries, limit }: NetSwitch): number | null {
  if (limit === null) return null;
  return limit > 0 ? entries / limit : entries > 0 ? 1 : 0;
}

/** What a switch is called where people read it. */
export function title({ label, name }: { label: string; name: string }): string {
  return label || name;
}

/** The other end of a link. */
export function farEnd(link: NetLink, from: string): string {
  return link.a === from ? link.b : link.a;
}

/** The network as the API tells it; links and hosts at unknown switches are left out. */
export function networkOf({ switches, links, hosts }: Schemas["Topology"]): Network {
  const names = new Map(switches.map(({ id, name }) => [id, name]));
  const rows = switches.map(({ budget, ...row }) => [row.name, { ...row, limit: budget }] as const);
  const joined = links.flatMap((row) => {
    const [a, b] = [names.get(row.a), names.get(row.b)];
    if (a === undefined || b === undefined) return [];
    const load = row.load && { packets: row.load.packets_per_s, bits: 8 * row.load.bytes_per_s };
    return [{ id: row.id, a, aPort: row.a_port, b, bPort: row.b_port, up: row.up, load, totals: null }];
  });
  const attached = hosts.flatMap((row) => {
    const at = names.get(row.switch);
    return at === undefined ? [] : [{ ...row, switch: at }];
  });
  return {
    switches: new Map(rows),
    links: new Map(joined.map((row) => [row.id, row])),
    hosts: new Map(attached.map((row) => [row.name, row])),
  };
}

/** What the network was read anew as, with the counters that the stream had told before. */
export function withTotals(now: Network, before: Network | undefined): Network {
  if (!before) return now;
  const links = [...now.links].map(([id, row]) => {
    const old = before.links.get(id);
    return [id, { ...row, load: row.load ?? old?.load ?? null, totals: old?.totals ?? null }] as const;
  });
  return { ...now, links: new Map(links) };
}

export const LIVE_KINDS = ["tables", "switch", "link", "load"] as const;

/** The network after some events, and whether one was of something unknown, so that all must be read anew. */
export function applyEvents(before: Network, events: LiveEvent[]): { network: Network; strange: boolean } {
  const switches = new Map(before.switches);
  const links = new Map(before.links);
  let strange = false;
  const change = <Key, Row>(rows: Map<Key, Row>, key: Key, fields: Partial<Row>) => {
    const row = rows.get(key);
    if (row) rows.set(key, { ...row, ...fields });
    else strange = true;
  };
  for (const { kind, payload } of events) {
    if (kind === "tables") {
      for (const [name, entries] of Object.entries(payload))
        change(switches, name, { entries: entries as number });
    } else if (kind === "switch") {
      const { name, connected, up, x, y, problems, capacity } = payload as unknown as SwitchEvent;
      change(switches, name, {
        ...definedFields({ connected, up, x, y }),
        ...(problems && { problems: problems.length }),
      });
      strange ||= capacity !== undefined; // the limit may be another one
    } else if (kind === "link") {
      const { id, up } = payload as unknown as { id: number; up?: boolean };
      change(links, id, definedFields({ up }));
    } else if (kind === "load") {
      const at = Date.parse(String(payload.at ?? ""));
      const told = (payload.links ?? {}) as Record<string, { packets: number; bytes: number }>;
      for (const [id, counted] of Object.entries(told)) {
        const row = links.get(Number(id));
        if (row) links.set(row.id, withCounters(row, { ...counted, at }));
      }
    }
  }
  return { network: { ...before, switches, links }, strange };
}

interface SwitchEvent {
  name: string;
  connected?: boolean;
  up?: boolean;
  x?: number;
  y?: number;
  problems?: string[];
  capacity?: number | null;
}

const definedFields = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

/** A link at another look at its counters; one that went down began anew. */
export function withCounters(link: NetLink, totals: LinkTotals): NetLink {
  const before = link.totals;
  const seconds = before ? (totals.at - before.at) / 1000 : 0;
  if (!before || totals.packets < before.packets || totals.bytes < before.bytes) return { ...link, totals };
  if (seconds <= 0) return link;
  const load = {
    packets: (totals.packets - before.packets) / seconds,
    bits: (8 * (totals.bytes - before.bytes)) / seconds,
  };
  return { ...link, totals, load };
}

/** What became different that a reader should hear of, in a sentence each. */
export function describeChanges(before: Network, now: Network): string[] {
  const told: string[] = [];
  for (const [name, row] of now.switches) {
    const old = before.switches.get(name);
    if (!old) told.push(`Switch ${title(row)} was added.`);
    else if (switchState(old) !== switchState(row))
      told.push(`Switch ${title(row)} is ${SWITCH_STATES[switchState(row)]}.`);
    else if ((fill(old) ?? 0) < 1 && (fill(row) ?? 0) >= 1) told.push(`The table of ${title(row)} is full.`);
  }
  for (const [name, row] of before.switches)
    if (!now.switches.has(name)) told.push(`Switch ${title(row)} was removed.`);
  for (const [id, row] of now.links) {
    const old = before.links.get(id);
    if (old && old.up !== row.up)
      told.push(`The link from ${row.a} to ${row.b} is ${row.up ? "up again" : "down"}.`);
  }
  return told;
}

export const SWITCH_STATES: Record<SwitchState, string> = {
  connected: "connected",
  away: "not connected",
  down: "down",
};
