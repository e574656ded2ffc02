"""Repair of a file's graph: unique ids, ports, datapath ids and costs, with notes."""

import math
from collections import Counter, deque
from collections.abc import Hashable, Set
from dataclasses import dataclass, field, replace
from typing import Any

from tercast.errors import Refused, shown
from tercast.runtime.wording import quantity
from tercast.topology.importers.address_pool import Addresses, TakenAddresses, give_dpids
from tercast.topology.importers.ids_and_labels import plain_label, slug, unique_ids
from tercast.topology.importers.link_costs import costs, weight_of
from tercast.topology.importers.port_numbers import Ports
from tercast.topology.importers.raw_graph import RawEdge, RawGraph, RawNode, shown_key

RawAttachment = tuple[str, int]


@dataclass(slots=True)
class Repair:
    """Converts one graph to the format of scenarios; `notes` receives a line for each repair.

    Afterwards `ports` and `addresses` know what is in use, so that more hosts can be attached.
    """

    raw: RawGraph
    taken: TakenAddresses
    addresses: Addresses
    notes: list[str]
    ports: Ports = field(init=False)
    _nodes: dict[Hashable, RawNode] = field(default_factory=dict)
    _ids: dict[Hashable, str] = field(default_factory=dict)

    def topology(self) -> dict[str, Any]:
        """Build the topology; switches also have `name`, and `lat` and `lon` if they are known."""
        self.notes += self.raw.notes
        self.ports = Ports(self.notes)
        self._nodes = self._distinct_nodes()
        switches = [node for node in self._nodes.values() if not node.is_host]
        if not switches:
            raise Refused((), "empty", "the file has no node; a topology needs at least one switch", None)
        self._ids = unique_ids((node.key, node.label) for node in self._nodes.values())
        self._note_names()
        links, attachments = self._sorted_edges()
        for edge in (*links, *attachments):
            for end, port in ((edge.a, edge.a_port), (edge.b, edge.b_port)):
                if not self._nodes[end].is_host:
                    self.ports.reserve(self._ids[end], port)
        dpids = give_dpids([(self._ids[node.key], node.dpid) for node in switches], self.taken, self.notes)
        return {
            "switches": [self._switch(node, dpid) for node, dpid in zip(switches, dpids, strict=True)],
            "links": self._links(links),
            "hosts": self._hosts(self._attached(attachments)),
        }

    def _distinct_nodes(self) -> dict[Hashable, RawNode]:
        nodes: dict[Hashable, RawNode] = {}
        linked = {end for edge in self.raw.edges for end in (edge.a, edge.b)}
        for node in self.raw.nodes:
            if node.is_group and not self._keeps_group(node, linked):
                continue
            if node.key in nodes:
                self.notes.append(
                    f"node {shown_key(node.key)} occurs twice, as {shown(nodes[node.key].label)} and as "
                    f"{shown(node.label)}; the first is used"
                )
                continue
            label = plain_label(node.label)
            if label != node.label:
                self.notes.append(
                    f"label {shown(node.label)} is too long or has characters that are not allowed; "
                    f"it became {shown(label)}"
                )
            nodes[node.key] = node if label == node.label else replace(node, label=label)
        return nodes

    def _keeps_group(self, node: RawNode, linked: Set[Hashable]) -> bool:
        """Whether a node that frames others becomes a switch, which needs a link; note the result."""
        kept = node.key in linked
        label = shown(plain_label(node.label))
        made = "links end at it, so it became a switch" if kept else "it was left out"
        self.notes.append(f"node {shown_key(node.key)} is a group of other nodes, {label}; {made}")
        return kept

    def _note_names(self) -> None:
        times = Counter(node.label for node in self._nodes.values())
        for key, node in self._nodes.items():
            name, label, became = shown_key(key), shown(node.label), self._ids[key]
            if node.hyperedge:
                self.notes.append(
                    f"node {name} represents a hyperedge (a shared medium); it became switch {became}"
                )
            elif not node.label.strip():
                self.notes.append(f"node {name} has an empty label; its id is {became}")
            elif times[node.label] > 1:
                self.notes.append(f"the label {label} occurs several times; node {name} became {became}")
            elif slug(node.label) not in ("", became):
                self.notes.append(
                    f"the label {label} has the same id as another label; node {name} became {became}"
                )

    def _sorted_edges(self) -> tuple[list[RawEdge], list[RawEdge]]:
        """Separate the edges between switches from those between a switch and a host."""
        edges = self._distinct_ends()
        if self.raw.both_ways or (self.raw.both_ways is None and self._shows_both_ways(edges)):
            edges = self._join_directions(edges)
        sorts: tuple[list[RawEdge], list[RawEdge]] = ([], [])
        for edge in edges:
            hosts = self._nodes[edge.a].is_host + self._nodes[edge.b].is_host
            if hosts == 2:
                self.notes.append(
                    f"an edge joins hosts {shown_key(edge.a)} and {shown_key(edge.b)} without a switch; "
                    "it was left out"
                )
                continue
            sorts[hosts].append(edge)
        return sorts

    def _distinct_ends(self) -> list[RawEdge]:
        edges = []
        cables: set[frozenset[tuple[Hashable, object]]] = set()
        for number, edge in enumerate(self.raw.edges):
            unknown = [end for end in (edge.a, edge.b) if end not in self._nodes]
            if unknown:
                where = "" if edge.line is None else f"line {edge.line}: "
                raise Refused(
                    (self.raw.edges_name, number),
                    "unknown_node",
                    f"{where}there is no node {shown_key(unknown[0])}; an edge joins two nodes of the file",
                    None,
                )
            if edge.a == edge.b:
                self.notes.append(f"an edge joins node {shown_key(edge.a)} to itself; it was left out")
                continue
            if isinstance(edge.a_port, int) and isinstance(edge.b_port, int):
                cable = frozenset(((edge.a, edge.a_port), (edge.b, edge.b_port)))
                if cable in cables:
                    self.notes.append(
                        f"the link between port {edge.a_port} of {shown_key(edge.a)} and port {edge.b_port} "
                        f"of {shown_key(edge.b)} occurs twice; it became one link"
                    )
                    continue
                cables.add(cable)
            edges.append(edge)
        return edges

    def _shows_both_ways(self, edges: list[RawEdge]) -> bool:
        """Whether a file lists each link in both directions without saying so; note it."""
        times = Counter((edge.a, edge.b) for edge in edges)
        if not edges or any(times[b, a] != number for (a, b), number in times.items()):
            return False
        self.notes.append(
            "each link is listed in both directions, and the file does not say whether links are directed; "
            f"{quantity(len(edges), 'edge')} became {quantity(len(edges) // 2, 'link')}"
        )
        return True

    def _join_directions(self, edges: list[RawEdge]) -> list[RawEdge]:
        """Join each edge with an edge of the opposite direction; the larger weight is used."""
        joined: list[RawEdge] = []
        open_at: dict[tuple[Hashable, Hashable], deque[int]] = {}
        for edge in edges:
            waiting = open_at.get((edge.b, edge.a))
            if not waiting:
                open_at.setdefault((edge.a, edge.b), deque()).append(len(joined))
                joined.append(edge)
                continue
            place = waiting.popleft()
            twin = joined[place]
            there, back = weight_of(twin, self.notes), weight_of(edge, self.notes)
            if there != back:
                self.notes.append(
                    f"{shown_key(twin.a)} to {shown_key(twin.b)} has weight {shown(twin.weight)}, and the "
                    f"opposite direction has {shown(edge.weight)}; the larger is used"
                )
                if back > there:
                    joined[place] = replace(twin, weight=edge.weight)
        alone = sum(len(places) for places in open_at.values())
        if alone and (self.raw.surely_both_ways or alone < len(joined)):
            edges_are = quantity(alone, "edge is", "edges are")
            links = "it became a link" if alone == 1 else "they became links"
            self.notes.append(f"{edges_are} listed in one direction only; {links} like the others")
        return joined

    def _switch(self, node: RawNode, dpid: str) -> dict[str, Any]:
        switch = self._ids[node.key]
        row: dict[str, Any] = {"id": switch, "dpid": dpid, "tcam_budget": None, "name": node.label}
        latitude, longitude = _degrees(node.latitude, 90), _degrees(node.longitude, 180)
        if latitude is not None and longitude is not None:
            row |= {"lat": latitude, "lon": longitude}
        elif node.latitude is not None or node.longitude is not None:
            place = f"{shown(node.latitude)}, {shown(node.longitude)}"
            self.notes.append(f"coordinates {place} of {switch} are not valid degrees; they were left out")
        return row

    def _links(self, edges: list[RawEdge]) -> list[dict[str, Any]]:
        links = []
        for edge, cost in zip(edges, costs(edges, self.notes), strict=True):
            a, b = self._ids[edge.a], self._ids[edge.b]
            ports = {"a_port": self.ports.take(a, edge.a_port), "b_port": self.ports.take(b, edge.b_port)}
            links.append({"a": a, "a_port": ports["a_port"], "b": b, "b_port": ports["b_port"], "cost": cost})
        return links

    def _attached(self, edges: list[RawEdge]) -> dict[Hashable, list[RawAttachment]]:
        """Return the hosts of the file with their attachments, in the file's order."""
        attached: dict[Hashable, list[RawAttachment]] = {}
        for edge in edges:
            ends = ((edge.a, edge.b, edge.b_port), (edge.b, edge.a, edge.a_port))
            host, switch, port = next(end for end in ends if self._nodes[end[0]].is_host)
            place = (self._ids[switch], self.ports.take(self._ids[switch], port))
            attached.setdefault(host, []).append(place)
        for key, node in self._nodes.items():
            if node.is_host and key not in attached:
                self.notes.append(f"host {shown_key(key)} is attached to no switch; it was left out")
        return attached

    def _hosts(self, attached: dict[Hashable, list[RawAttachment]]) -> list[dict[str, Any]]:
        nodes = [self._nodes[key] for key in attached]
        kept = [self.addresses.keep(self._ids[node.key], node.ip, node.mac) for node in nodes]
        return [
            host_row(self._ids[key], places, *self.addresses.fill(*own))
            for (key, places), own in zip(attached.items(), kept, strict=True)
        ]


def host_row(name: str, places: list[RawAttachment], ip: str, mac: str) -> dict[str, Any]:
    """Return a host as scenarios have it; the first place is the primary attachment."""
    (switch, port), *others = places
    row: dict[str, Any] = {"id": name, "switch": switch, "port": port, "ip": ip, "mac": mac}
    if others:
        row["standby"] = [{"switch": there, "port": at} for there, at in others]
    return row


def _degrees(value: object, most: int) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) <= most else None
