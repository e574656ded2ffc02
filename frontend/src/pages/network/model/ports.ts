// Ports of a switch, and their switches and hosts.

import type { Schemas } from "@/api/client";
import { text } from "../text";
import { switchName } from "./descriptions";
import { farEnd, type NetHost, type NetLink, type Network } from "./network";

export interface PortPeers {
  link: NetLink | null;
  hosts: NetHost[];
}

/** The link or the hosts at the ports of a switch, by port number. */
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

/** Name of the next switch, or of the hosts, at a port; "" if none is known. */
export function peerNames(network: Network, name: string, one: PortPeers | undefined): string {
  if (!one) return "";
  if (one.link) return switchName(network, farEnd(one.link, name));
  return one.hosts.map((host) => host.name).join(", ");
}

/** One text for each output of an entry, for example "1 Denver", "h-sea-1 (3)" or "ingress port". */
export function outputTexts(
  network: Network,
  name: string,
  ports: ReadonlyMap<number, PortPeers>,
  actions: readonly Schemas["Action"][],
): string[] {
  const { ingressPort, hostOutput } = text.entries;
  const found: string[] = [];
  let host: string | null = null; // destination address for the next output
  for (const { output, set_dst } of actions) {
    if (set_dst !== null) host = set_dst;
    if (output === null) continue;
    if (host !== null) found.push(hostOutput(host, output === "in_port" ? ingressPort : output));
    else if (output === "in_port") found.push(ingressPort);
    else found.push([output, peerNames(network, name, ports.get(Number(output)))].filter(Boolean).join(" "));
    host = null;
  }
  return found;
}
