// Switches, links and hosts in a sentence each.

import type { Adjacency } from "./neighbourhood";
import {
  fill,
  type NetLink,
  type NetSwitch,
  type Network,
  SWITCH_STATES,
  switchState,
  title,
} from "./network";
import { fillText, fullest, loadText } from "./scales";

/** What is under the pointer. */
export function describe(
  network: Network,
  id: string,
  groups: ReadonlyMap<string, readonly string[]>,
): string {
  const members = groups.get(id);
  if (members) {
    const rows = members.flatMap((name) => network.switches.get(name) ?? []);
    return `${members.length} switches, the fullest table: ${fillText(fullest(rows))}. Click to see them.`;
  }
  if (id.startsWith("s:")) {
    const row = network.switches.get(id.slice(2));
    return row ? aboutSwitch(row) : "";
  }
  if (id.startsWith("l:")) {
    const link = network.links.get(Number(id.slice(2)));
    return link ? aboutLink(link, network) : "";
  }
  if (id.startsWith("h:") || id.startsWith("hl:")) {
    const host = network.hosts.get(id.slice(id.indexOf(":") + 1));
    return host ? `Host ${host.name} at port ${host.port} of ${switchName(network, host.switch)}` : "";
  }
  return "";
}

/** "Seattle (sea): connected, 50 of 1,000 entries, 5 %". */
export function aboutSwitch(row: NetSwitch): string {
  const called = row.label && row.label !== row.name ? `${row.label} (${row.name})` : row.name;
  return `${called}: ${SWITCH_STATES[switchState(row)]}, ${tableText(row)}`;
}

/** "50 of 1,000 entries, 5 %". */
export function tableText(row: NetSwitch): string {
  const { limit } = row;
  if (limit === null) return `${row.entries.toLocaleString()} entries, no limit`;
  return `${row.entries.toLocaleString()} of ${limit.toLocaleString()} entries, ${fillText(fill(row))}`;
}

export function aboutLink(link: NetLink, network: Network): string {
  const ends = `${switchName(network, link.a)} port ${link.aPort} to ${switchName(network, link.b)} port ${link.bPort}`;
  return `${ends}: ${link.up ? loadText(link.load) : "down"}`;
}

/** What is announced when a switch is selected. */
export function announcement(row: NetSwitch, network: Network, adjacent: Adjacency): string {
  const near = adjacent.get(row.name) ?? [];
  const names = near.slice(0, 8).map((name) => switchName(network, name));
  const more = near.length > names.length ? ` and ${near.length - names.length} more` : "";
  const neighbours = near.length > 0 ? `Neighbours: ${names.join(", ")}${more}.` : "No neighbours.";
  return `${aboutSwitch(row)}. ${neighbours}`;
}

export function switchName(network: Network, name: string): string {
  const row = network.switches.get(name);
  return row ? title(row) : name;
}
