// The network on this page, and its changes by events of the live stream.

import type { Schemas } from "@/api/client";
import type { LiveEvent } from "@/live/stream";
import { text } from "../text";

export interface NetSwitch {
  id: number;
  name: string;
  label: string;
  /** Null until a link connects the switch to a neighbour. */
  x: number | null;
  y: number | null;
  entries: number;
  /** Maximum number of entries by budget and capacity; null: unlimited. */
  limit: number | null;
  up: boolean;
  connected: boolean;
  /** Number of missing features and refused entries. */
  problems: number;
}

export interface NetLink {
  id: number;
  a: string;
  aPort: number;
  b: string;
  bPort: number;
  up: boolean;
  /** Null while unknown. */
  load: Load | null;
  /** The last reported counters, since the switches started to count. */
  totals: LinkTotals | null;
}

/** Load per second in both directions. */
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

/** State of a switch. "down": the planner does not use it; "away": it has no connection to the controller. */
export function switchState({ up, connected }: NetSwitch): SwitchState {
  if (!up) return "down";
  return connected ? "connected" : "away";
}

/** Fill of a table: entries divided by the limit; null without a limit. */
export function fill({ entries, limit }: NetSwitch): number | null {
  if (limit === null) return null;
  return limit > 0 ? entries / limit : entries > 0 ? 1 : 0;
}

/** Name of a switch for users: its label, otherwise its name. */
export function title({ label, name }: { label: string; name: string }): string {
  return label || name;
}

/** The other end of a link. */
export function farEnd(link: NetLink, from: string): string {
  return link.a === from ? link.b : link.a;
}

/** Convert the answer of the API. Links and hosts of unknown switches are omitted. */
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

/** The network after it was read again, with the previous counters of the live stream. */
export function withTotals(now: Network, before: Network | undefined): Network {
  if (!before) return now;
  const links = [...now.links].map(([id, row]) => {
    const old = before.links.get(id);
    return [id, { ...row, load: row.load ?? old?.load ?? null, totals: old?.totals ?? null }] as const;
  });
  return { ...now, links: new Map(links) };
}

export const LIVE_KINDS = ["tables", "switch", "link", "load"] as const;

/** Apply events. `strange`: an event concerns an unknown object or a limit, so that the network must be read again. */
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
      strange ||= capacity !== undefined; // the limit can change
    } else if (kind === "link") {
      const { id, up } = payload as unknown as { id: number; up?: boolean };
      change(links, id, definedFields({ up }));
    } else if (kind === "load") {
      const at = Date.parse(String(payload.at ?? ""));
      const counters = (payload.links ?? {}) as Record<string, { packets: number; bytes: number }>;
      for (const [id, counted] of Object.entries(counters)) {
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

/** Update a link with new counters. A counter that is smaller than before was reset, and gives no load. */
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

/** Sentences about changes that users must notice. */
export function describeChanges(before: Network, now: Network): string[] {
  const { changes: texts, states } = text;
  const sentences: string[] = [];
  for (const [name, row] of now.switches) {
    const old = before.switches.get(name);
    if (!old) sentences.push(texts.added(title(row)));
    else if (switchState(old) !== switchState(row))
      sentences.push(texts.state(title(row), states[switchState(row)]));
    else if ((fill(old) ?? 0) < 1 && (fill(row) ?? 0) >= 1) sentences.push(texts.full(title(row)));
  }
  for (const [name, row] of before.switches)
    if (!now.switches.has(name)) sentences.push(texts.removed(title(row)));
  for (const [id, row] of now.links) {
    const old = before.links.get(id);
    if (old && old.up !== row.up)
      sentences.push(row.up ? texts.linkUp(row.a, row.b) : texts.linkDown(row.a, row.b));
  }
  return sentences;
}
