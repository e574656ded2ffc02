"""From a file's graph to a topology: unique ids, ports, datapath ids, costs; every repair is told."""

import math
import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tercast.errors import Refused
from tercast.importers.graph import RawEdge, RawGraph, RawNode
from tercast.importers.names import slug, unique_ids

LARGEST_COST = 2**31 - 1
_LARGEST_PORT = 0xFFFFFF00 - 1
_LARGEST_DENOMINATOR = 1000


@dataclass(slots=True)
class Repair:
    """Builds the scenario form of one graph; `notes` tells what the file left open or had wrong."""

    raw: RawGraph
    notes: list[str] = field(default_factory=list)
    _ports: dict[str, set[int]] = field(default_factory=dict)

    def topology(self, hosts_per_switch: int) -> dict[str, Any]:
        """The topology as scenarios have it; switches carry `name`, and `lat` and `lon` where known."""
        nodes = self._nodes()
        switches = [node for node in nodes.values() if not node.is_host]
        if not switches:
            raise Refused((), "empty", "the file has no node; a topology needs at least one switch", None)
        ids = unique_ids((node.key, node.label) for node in nodes.values())
        self._tell_names(nodes, ids)
        edges = self._edges(nodes)
        self._ports = {ids[node.key]: set() for node in switches}
        self._reserve_ports(edges, nodes, ids)
        links = self._links([e for e in edges if not (nodes[e.a].is_host or nodes[e.b].is_host)], ids)
        attached = self._attached([e for e in edges if nodes[e.a].is_host != nodes[e.b].is_host], nodes, ids)
        dpids = self._dpids(switches, ids)
        rows = [self._switch(node, ids[node.key], dpid) for node, dpid in zip(switches, dpids, strict=True)]
        return {"switches": rows, "links": links, "hosts": self._hosts(rows, attached, hosts_per_switch)}

    def _nodes(self) -> dict[Hashable, RawNode]:
        nodes: dict[Hashable, RawNode] = {}
        for node in self.raw.nodes:
            if node.key in nodes:
                self.notes.append(f"node {node.key!r} stands there twice; the first counts")
                continue
            nodes[node.key] = node
        return nodes

    def _tell_names(self, nodes: dict[Hashable, RawNode], ids: dict[Hashable, str]) -> None:
        repeated = {label for label, times in Counter(n.label for n in nodes.values()).items() if times > 1}
        for key, node in nodes.items():
            if node.hyperedge:
                self.notes.append(
                    f"node {key!r} stands for a hyperedge (a shared medium); it became switch {ids[key]}"
                )
            elif not node.label.strip():
                self.notes.append(f"node {key!r} has an empty label; its id is {ids[key]}")
            elif node.label in repeated:
                self.notes.append(
                    f"label {node.label!r} is there several times; node {key!r} became {ids[key]}"
                )
            elif slug(node.label) not in ("", ids[key]):
                self.notes.append(
                    f"label {node.label!r} looks like another's; node {key!r} became {ids[key]}"
                )

    def _edges(self, nodes: dict[Hashable, RawNode]) -> list[RawEdge]:
        edges = []
        for number, edge in enumerate(self.raw.edges):
            unknown = [end for end in (edge.a, edge.b) if end not in nodes]
            if unknown:
                raise Refused(
                    ("edges", number),
                    "unknown_node",
                    f"no node {unknown[0]!r}; an edge joins two nodes of the file",
                    None,
                )
            if edge.a == edge.b:
                self.notes.append(f"an edge joins node {edge.a!r} with itself; it was left out")
                continue
            edges.append(edge)
        return self._join_directions(edges) if self.raw.both_ways else edges

    def _join_directions(self, edges: list[RawEdge]) -> list[RawEdge]:
        """One link for each edge and its twin the other way; the larger of their weights counts."""
        joined: list[RawEdge | None] = []
        open_at: dict[tuple[Hashable, Hashable], list[int]] = {}
        for edge in edges:
            waiting = open_at.get((edge.b, edge.a))
            if not waiting:
                open_at.setdefault((edge.a, edge.b), []).append(len(joined))
                joined.append(edge)
                continue
            place = waiting.pop(0)
            twin = joined[place]
            assert twin is not None
            there, back = self._weight(twin), self._weight(edge)
            if there != back:
                ends = f"{twin.a!r} to {twin.b!r}"
                self.notes.append(f"{ends} weighs {twin.weight}, and {edge.weight} back; the larger counts")
                if back > there:
                    joined[place] = RawEdge(twin.a, twin.b, edge.weight, twin.a_port, twin.b_port)
        alone = sum(len(places) for places in open_at.values())
        if alone and alone < len(joined):
            self.notes.append(
                f"{alone} edges are there in one direction only; they became links like the others"
            )
        return [edge for edge in joined if edge is not None]

    def _weight(self, edge: RawEdge) -> Fraction:
        """The weight as an exact number; 1 where there is none or it cannot be a cost."""
        if edge.weight is None:
            return Fraction(1)
        try:
            weight = Fraction(str(edge.weight).strip())
        except (ValueError, ZeroDivisionError):
            weight = Fraction(0)
        if weight <= 0 or isinstance(edge.weight, bool):
            self.notes.append(
                f"weight {edge.weight!r} between {edge.a!r} and {edge.b!r} is no cost; 1 is taken"
            )
            return Fraction(1)
        return weight

    def _costs(self, edges: list[RawEdge]) -> list[int]:
        weights = [self._weight(edge).limit_denominator(_LARGEST_DENOMINATOR) for edge in edges]
        factor = math.lcm(*(weight.denominator for weight in weights)) if weights else 1
        if factor > 1:
            factor = min(factor, _LARGEST_DENOMINATOR)
            self.notes.append(f"weights have fractions; all costs are {factor} times the weights")
        return [min(max(1, round(weight * factor)), LARGEST_COST) for weight in weights]

    def _reserve_ports(
        self, edges: list[RawEdge], nodes: dict[Hashable, RawNode], ids: dict[Hashable, str]
    ) -> None:
        for edge in edges:
            for end, port in ((edge.a, edge.a_port), (edge.b, edge.b_port)):
                if isinstance(port, int) and not nodes[end].is_host and 1 <= port <= _LARGEST_PORT:
                    self._ports[ids[end]].add(port)

    def _port(self, switch: str, wanted: object, given: set[tuple[str, int]]) -> int:
        if isinstance(wanted, int) and 1 <= wanted <= _LARGEST_PORT and (switch, wanted) not in given:
            given.add((switch, wanted))
            return wanted
        if wanted is not None:
            self.notes.append(f"port {wanted!r} of {switch} cannot be had; the next free one is taken")
        port = 1
        while port in self._ports[switch]:
            port += 1
        self._ports[switch].add(port)
        given.add((switch, port))
        return port

    def _links(self, edges: list[RawEdge], ids: dict[Hashable, str]) -> list[dict[str, Any]]:
        given: set[tuple[str, int]] = set()
        links = []
        for edge, cost in zip(edges, self._costs(edges), strict=True):
            a, b = ids[edge.a], ids[edge.b]
            links.append(
                {
                    "a": a,
                    "a_port": self._port(a, edge.a_port, given),
                    "b": b,
                    "b_port": self._port(b, edge.b_port, given),
                    "cost": cost,
                }
            )
        return links

    def _attached(
        self, edges: list[RawEdge], nodes: dict[Hashable, RawNode], ids: dict[Hashable, str]
    ) -> dict[str, list[tuple[str, int]]]:
        """Each host of the file with its attachments, in the file's order."""
        given: set[tuple[str, int]] = set()
        attached: dict[str, list[tuple[str, int]]] = {}
        for edge in edges:
            ends = ((edge.a, edge.b, edge.b_port), (edge.b, edge.a, edge.a_port))
            host, switch, port = next(end for end in ends if nodes[end[0]].is_host)
            attached.setdefault(ids[host], []).append((ids[switch], self._port(ids[switch], port, given)))
        for key, node in nodes.items():
            if node.is_host and ids[key] not in attached:
                self.notes.append(f"host {key!r} is attached to no switch; it was left out")
        return attached

    def _dpids(self, switches: list[RawNode], ids: dict[Hashable, str]) -> list[str]:
        taken: set[int] = set()
        dpids: list[int | None] = []
        for node in switches:
            dpid = _dpid(node.dpid)
            if node.dpid is not None and (dpid is None or dpid in taken):
                self.notes.append(
                    f"datapath id {node.dpid!r} of {ids[node.key]} is 0, taken, or none; a free one is given"
                )
                dpid = None
            if dpid is not None:
                taken.add(dpid)
            dpids.append(dpid)
        free = (number for number in range(1, 2**63) if number not in taken)
        return [f"{next(free) if dpid is None else dpid:016x}" for dpid in dpids]

    def _switch(self, node: RawNode, switch: str, dpid: str) -> dict[str, Any]:
        row: dict[str, Any] = {"id": switch, "dpid": dpid, "tcam_budget": None, "name": node.label}
        latitude, longitude = _degrees(node.latitude, 90), _degrees(node.longitude, 180)
        if latitude is not None and longitude is not None:
            row |= {"lat": latitude, "lon": longitude}
        elif node.latitude is not None or node.longitude is not None:
            self.notes.append(
                f"coordinates {node.latitude!r}, {node.longitude!r} of {switch} are no place; left out"
            )
        return row

    def _hosts(
        self, switches: list[dict[str, Any]], attached: dict[str, list[tuple[str, int]]], more: int
    ) -> list[dict[str, Any]]:
        places = list(attached.items())
        taken = set(attached) | {row["id"] for row in switches}
        for row in switches:
            for number in range(1, more + 1):
                name = f"h-{row['id']}-{number}"
                if name in taken:
                    raise Refused(
                        (), "host_id", f"the file has a node named {name}; import it without hosts", name
                    )
                places.append((name, [(row["id"], self._port(row["id"], None, set()))]))
        return [_host(number, name, ends) for number, (name, ends) in enumerate(places, start=1)]


def _host(number: int, name: str, ends: list[tuple[str, int]]) -> dict[str, Any]:
    (switch, port), *others = ends
    row: dict[str, Any] = {
        "id": name,
        "switch": switch,
        "port": port,
        "ip": f"fd00::{number >> 16:x}:{number & 0xFFFF:x}" if number >> 16 else f"fd00::{number:x}",
        "mac": "02:00:" + ":".join(f"{number >> shift & 0xFF:02x}" for shift in (24, 16, 8, 0)),
    }
    if others:
        row["standby"] = [{"switch": there, "port": at} for there, at in others]
    return row


def _dpid(value: object) -> int | None:
    text = str(value).replace(":", "").lower().removeprefix("0x") if value is not None else ""
    if not re.fullmatch(r"[0-9a-f]{1,16}", text) or int(text, 16) == 0:
        return None
    return int(text, 16)


def _degrees(value: object, most: int) -> float | None:
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) and abs(number) <= most else None
