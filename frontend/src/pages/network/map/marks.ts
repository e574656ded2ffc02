// Marks of trees and paths in the drawing.

import type { Schemas } from "@/api/client";
import type { NetLink, Network } from "../model/network";
import { text } from "../text";
import type { LinkMark, View } from "./scene";

type Explanation = Schemas["Explanation"];

/** Links by their ends: "switch port". */
function linksByEnd(network: Network): Map<string, NetLink> {
  const found = new Map<string, NetLink>();
  for (const link of network.links.values()) {
    found.set(`${link.a} ${link.aPort}`, link);
    found.set(`${link.b} ${link.bPort}`, link);
  }
  return found;
}

/** Root and existing links of a tree. */
export function treeMarks(network: Network, tree: Schemas["Tree"]): NonNullable<View["tree"]> {
  const links = linksByEnd(network);
  const ids = tree.edges.flatMap(({ a, a_port }) => links.get(`${a} ${a_port}`)?.id ?? []);
  return { root: tree.root, links: new Set(ids) };
}

/** Number of links from the publisher's switch to each hop, by number of the hop. */
export function hopDepths(path: Explanation["path"]): number[] {
  const found: number[] = [];
  for (const { hop, from_hop } of path) found[hop] = from_hop === null ? 0 : (found[from_hop] ?? 0) + 1;
  return found;
}

/** Marks of the path of an event after `steps` links; by default of the whole path. */
export function pathMarks(
  network: Network,
  explanation: Explanation,
  steps = Number.POSITIVE_INFINITY,
): NonNullable<View["path"]> {
  const links = linksByEnd(network);
  const depth = hopDepths(explanation.path);
  const switches = new Set<string>();
  const hosts = new Set<string>();
  const marks = new Map<number, LinkMark>();
  if (network.hosts.has(explanation.event.host)) hosts.add(explanation.event.host);
  for (const { hop, switch: name, outputs } of explanation.path) {
    const at = depth[hop] ?? 0;
    if (at > steps) continue;
    switches.add(name);
    for (const { port, next_switch, host } of outputs) {
      if (host !== null) hosts.add(host);
      if (next_switch === null || at + 1 > steps) continue;
      const link = links.get(`${name} ${port}`);
      if (link) marks.set(link.id, { order: at + 1, back: link.a !== name || link.aPort !== port });
    }
  }
  return { switches, links: marks, hosts };
}

/** Notes about a tree for the list of switches. */
export function treeNotes({ root, links }: NonNullable<View["tree"]>, network: Network): Map<string, string> {
  const found = new Map([[root, text.tree.rootNote]]);
  for (const id of links) {
    const link = network.links.get(id);
    for (const name of link ? [link.a, link.b] : []) if (!found.has(name)) found.set(name, text.tree.note);
  }
  return found;
}

/** Notes about the path of an event for the list of switches: the number of links before each switch. */
export function pathNotes(
  { switches, links }: NonNullable<View["path"]>,
  network: Network,
): Map<string, string> {
  const found = new Map([...switches].map((name) => [name, text.tree.pathStart]));
  for (const [id, { order, back }] of links) {
    const link = network.links.get(id);
    if (link) found.set(back ? link.a : link.b, text.tree.pathNote(order));
  }
  return found;
}
