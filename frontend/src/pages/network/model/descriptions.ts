// Descriptions of switches, links and hosts in one sentence.

import { text } from "../text";
import type { Adjacency } from "./neighbourhood";
import { fill, type NetLink, type NetSwitch, type Network, switchState, title } from "./network";
import { fillText, fullest, loadText } from "./scales";

const { describe: texts } = text;
const NEIGHBOURS = 8; // that are announced

/** Description of the element under the pointer. */
export function describe(
  network: Network,
  id: string,
  groups: ReadonlyMap<string, readonly string[]>,
): string {
  const members = groups.get(id);
  if (members) {
    const rows = members.flatMap((name) => network.switches.get(name) ?? []);
    return texts.group(members.length, fillText(fullest(rows)));
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
    return host ? texts.host(host.name, host.port, switchName(network, host.switch)) : "";
  }
  return "";
}

/** "Seattle (sea): connected, 50 of 1,000 entries, 5 %". */
export function aboutSwitch(row: NetSwitch): string {
  const name = row.label && row.label !== row.name ? texts.named(row.label, row.name) : row.name;
  return texts.switch(name, text.states[switchState(row)], tableText(row));
}

/** "50 of 1,000 entries, 5 %". */
export function tableText(row: NetSwitch): string {
  const { limit } = row;
  if (limit === null) return texts.unlimitedTable(row.entries);
  return texts.table(row.entries, limit, fillText(fill(row)));
}

export function aboutLink(link: NetLink, network: Network): string {
  const [a, b] = [switchName(network, link.a), switchName(network, link.b)];
  return texts.link(a, link.aPort, b, link.bPort, link.up ? loadText(link.load) : text.down);
}

/** Announcement of a selected switch for screen readers. */
export function announcement(row: NetSwitch, network: Network, adjacent: Adjacency): string {
  const near = adjacent.get(row.name) ?? [];
  const names = near.slice(0, NEIGHBOURS).map((name) => switchName(network, name));
  return texts.selected(aboutSwitch(row), names, near.length - names.length);
}

export function switchName(network: Network, name: string): string {
  const row = network.switches.get(name);
  return row ? title(row) : name;
}
