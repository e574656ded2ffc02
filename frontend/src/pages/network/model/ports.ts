// Ports of a switch, and what lies behind them.

import type { Schemas } from "@/api/client";
import { switchName } from "./descriptions";
import { farEnd, type NetHost, type NetLink, type Network } from "./network";

export interface PortPeers {
  link: NetLink | null;
  hosts: NetHost[];
}

/** By port number: the link or the hosts at the ports of a switch. */
export function peersByPort(network: Network, name: string): Map<number, PortPeers> {
  const found = new Map<number, PortPeers>();
  const at = (port: number) => {
    const known = found.get(port) ?? { link: null, hosts: [] };
    found.set(port, known);
    return known;
  };
  for (const link of network.links.values()) {
    if (link.a === name) at(link.aPort).link = link;
    if (link.b === name) at(link.bPort).link = link;
  }
  for (const host of network.hosts.values()) if (host.switch === name) at(host.port).hosts.push(host);
  return found;
}

/** Who is behind a port: the next switch, or hosts; "" where nobody is known. */
export function peerNames(network: Network, name: string, one: PortPeers | undefined): string {
  if (!one) return "";
  if (one.link) return switchName(network, farEnd(one.link, name));
  return one.hosts.map((host) => host.name).join(", ");
}

/** Where the actions of an entry send, a text each: "1 Denver", "h-sea-1", "back". */
export function outputTexts(
  network: Network,
  name: string,
  ports: ReadonlyMap<number, PortPeers>,
  actions: readonly Schemas["Action"][],
): string[] {
  const told: string[] = [];
  let host: string | null = null; // the address that the next output gets
  for (const { output, set_dst } of actions) {
    if (set_dst !== null) host = set_dst;
    if (output === null) continue;
    if (host !== null) told.push(output === "in_port" ? `${host} (back)` : `${host} (${output})`);
    else if (output === "in_port") told.push("back");
    else told.push([output, peerNames(network, name, ports.get(Number(output)))].filter(Boolean).join(" "));
    host = null;
  }
  return told;
}
