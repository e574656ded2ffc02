"""PLEROMA's algorithm 1 as in the paper: lists, all scanned for every request.

It is the baseline of the planner's benchmark (Middleware 2014, sections 3.2 and 3.3). Dz are texts, so
covering is `startswith`. Like the algorithm, it does not prevent that an event returns to its ingress port,
and it merges no trees. `IndexedTable` has the same tables in less time; it is only for loading.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tercast.eventspace import dz as dzs
from tercast.eventspace.address_plan import AddressPlan

PortAndHost = tuple[int, str | None]
"""An output: the port, and the host whose address is set first (in the last switch)."""


class PlainFlow:
    """An entry: match field (dz and its destination), instruction set (outputs), priority order."""

    __slots__ = ("destination", "dz", "outs", "priority")

    def __init__(self, dz: str, destination: str, outs: set[PortAndHost]) -> None:
        self.dz = dz
        self.destination = destination
        self.outs = outs
        self.priority = len(dz)  # longer dz above shorter ones, which is the result of increasePriority


class FlowTable(Protocol):
    """The flows of a switch (getCurrentFlowsFromSwitch). A scan ends when its answer is known."""

    def covers(self, new: PlainFlow) -> bool:
        """Whether a flow covers the dz and the outputs of `new`."""

    def covering(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz covers `dz`, including an equal one."""

    def covered(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz `dz` covers, including an equal one."""

    def add(self, flow: PlainFlow) -> None:
        """Add a flow."""

    def delete(self, flow: PlainFlow) -> None:
        """Remove a flow."""

    def flows(self) -> list[PlainFlow]:
        """Return all flows."""


class ScannedTable:
    """A table as a list."""

    def __init__(self, flows: Iterable[PlainFlow] = ()) -> None:
        self._flows = list(flows)

    def covers(self, new: PlainFlow) -> bool:
        """Whether a flow covers the dz and the outputs of `new`."""
        dz, outs = new.dz, new.outs
        return any(dz.startswith(flow.dz) and outs <= flow.outs for flow in self._flows)

    def covering(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz covers `dz`, including an equal one."""
        return [flow for flow in self._flows if dz.startswith(flow.dz)]

    def covered(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz `dz` covers, including an equal one."""
        return [flow for flow in self._flows if flow.dz.startswith(dz)]

    def add(self, flow: PlainFlow) -> None:
        """Add a flow."""
        self._flows.append(flow)

    def delete(self, flow: PlainFlow) -> None:
        """Remove a flow."""
        self._flows.remove(flow)

    def flows(self) -> list[PlainFlow]:
        """Return all flows."""
        return list(self._flows)


class IndexedTable:
    """A table with a dictionary and a sorted list, which is faster with equal flows."""

    def __init__(self) -> None:
        self._by_dz: dict[str, PlainFlow] = {}
        self._order: list[str] = []

    def covers(self, new: PlainFlow) -> bool:
        """Whether a flow covers the dz and the outputs of `new`."""
        return any(new.outs <= flow.outs for flow in self.covering(new.dz))

    def covering(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz covers `dz`, including an equal one."""
        found = (self._by_dz.get(dz[:bits]) for bits in range(len(dz) + 1))
        return [flow for flow in found if flow is not None]

    def covered(self, dz: str) -> list[PlainFlow]:
        """Return the flows whose dz `dz` covers, including an equal one."""
        start, end = bisect_left(self._order, dz), bisect_left(self._order, dz + "2")
        return [self._by_dz[inside] for inside in self._order[start:end]]

    def add(self, flow: PlainFlow) -> None:
        """Add a flow."""
        self._by_dz[flow.dz] = flow
        insort(self._order, flow.dz)

    def delete(self, flow: PlainFlow) -> None:
        """Remove a flow."""
        del self._by_dz[flow.dz]
        del self._order[bisect_left(self._order, flow.dz)]

    def flows(self) -> list[PlainFlow]:
        """Return all flows."""
        return list(self._by_dz.values())


@dataclass(slots=True)
class PublisherTree:
    """DZ(t), P_t with DZ^t(p), and the shortest path tree.

    `parents` has the switch towards the root, its port, and the own port.
    """

    dz: list[str]
    publishers: dict[str, list[str]]
    parents: dict[str, tuple[str, int, int]] = field(default_factory=dict)


class Algorithm1:
    """A controller of one partition and one topic."""

    def __init__(self, network: dict[str, Any], address: AddressPlan, code: int, indexed: bool) -> None:
        self._address, self._code = address, code
        self._hosts = {host["id"]: (host["switch"], host["port"]) for host in network["hosts"]}
        self._adjacent: dict[str, list[tuple[int, str, int]]] = {s["id"]: [] for s in network["switches"]}
        for link in network["links"]:
            self._adjacent[link["a"]].append((link["a_port"], link["b"], link["b_port"]))
            self._adjacent[link["b"]].append((link["b_port"], link["a"], link["a_port"]))
        self.tables: dict[str, FlowTable] = {
            switch: IndexedTable() if indexed else ScannedTable() for switch in self._adjacent
        }
        self.trees: list[PublisherTree] = []
        self.subscriptions: list[tuple[str, list[str]]] = []

    def scan_from_now_on(self) -> None:
        """Continue with lists, as in the paper."""
        self.tables = {switch: ScannedTable(table.flows()) for switch, table in self.tables.items()}

    def advertise(self, publisher: str, dz_set: Iterable[str]) -> None:
        """Carry out lines 1 to 15."""
        for dz in dz_set:
            overlapping = [tree for tree in self.trees if _overlaps(dz, tree.dz)]
            rest = [dz]
            for tree in overlapping:
                shared = [overlap(dz, own) for own in tree.dz]
                joined = [part for part in shared if part is not None]
                tree.publishers.setdefault(publisher, []).extend(joined)
                self._add_flow_mult_sub(publisher, joined, tree)
                rest = without(rest, joined)
            if rest:
                tree = self._create_tree(publisher, rest)
                self._add_flow_mult_sub(publisher, rest, tree)

    def subscribe(self, subscriber: str, dz_set: Iterable[str]) -> None:
        """Carry out lines 16 to 25."""
        cells = list(dz_set)
        self.subscriptions.append((subscriber, cells))
        for dz in cells:
            for tree in self.trees:
                if not _overlaps(dz, tree.dz):
                    continue
                for publisher, published in tree.publishers.items():
                    for part in [overlap(dz, own) for own in published]:
                        if part is not None:
                            self._flow_addition(part, self._route(publisher, subscriber, tree))

    def _create_tree(self, publisher: str, dz: list[str]) -> PublisherTree:
        """Return a shortest path tree with its root at the publisher's switch."""
        root = self._hosts[publisher][0]
        tree = PublisherTree(list(dz), {publisher: list(dz)})
        seen, waiting = {root}, deque([root])
        while waiting:
            switch = waiting.popleft()
            for port, far, far_port in self._adjacent[switch]:
                if far not in seen:
                    seen.add(far)
                    tree.parents[far] = (switch, port, far_port)
                    waiting.append(far)
        self.trees.append(tree)
        return tree

    def _add_flow_mult_sub(self, publisher: str, dz: list[str], tree: PublisherTree) -> None:
        """Carry out lines 26 to 30."""
        for subscriber, cells in self.subscriptions:
            for wanted in cells:
                for own in dz:
                    part = overlap(wanted, own)
                    if part is not None:
                        self._flow_addition(part, self._route(publisher, subscriber, tree))

    def _route(self, publisher: str, subscriber: str, tree: PublisherTree) -> list[tuple[str, PortAndHost]]:
        """Return the switches from publisher to subscriber along the tree, each with its output.

        Empty if both use one port, because a packet does not leave by its ingress port.
        """
        (start, start_port), (end, end_port) = self._hosts[publisher], self._hosts[subscriber]
        if (start, start_port) == (end, end_port):
            return []
        up = self._to_root(start, tree)
        down = self._to_root(end, tree)
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        hops: list[tuple[str, PortAndHost]] = [
            (switch, (tree.parents[switch][2], None)) for switch in up[:-1]
        ]
        for switch in reversed(down[:-1]):
            parent, port, _ = tree.parents[switch]
            hops.append((parent, (port, None)))
        return [*hops, (end, (end_port, subscriber))]

    @staticmethod
    def _to_root(switch: str, tree: PublisherTree) -> list[str]:
        path = [switch]
        while path[-1] in tree.parents:
            path.append(tree.parents[path[-1]][0])
        return path

    def _flow_addition(self, dz: str, route: list[tuple[str, PortAndHost]]) -> None:
        """Carry out lines 31 to 51 with the five cases of section 3.3.2, in four scans."""
        destination = self._address.match(self._code, int("1" + dz, 2))
        for switch, out in route:
            table = self.tables[switch]
            new = PlainFlow(dz, destination, {out})
            if table.covers(new):
                continue  # line 41, case 2: a flow covers it fully
            for flow in table.covered(dz):  # lines 42 and 43
                if flow.outs <= new.outs:
                    table.delete(flow)  # case 3: it covers a flow fully
            for flow in table.covering(dz):  # lines 44 to 46
                new.outs |= flow.outs  # case 4: a flow covers it in part
                if flow.dz == dz:
                    table.delete(flow)  # the same match: the new one replaces it
            for flow in table.covered(dz):  # lines 47 to 50
                flow.outs |= new.outs  # case 5: it covers a flow in part
            table.add(new)


def overlap(a: str, b: str) -> str | None:
    """Return the longer of two dz if one covers the other, else None."""
    if a.startswith(b):
        return a
    return b if b.startswith(a) else None


def _overlaps(dz: str, cells: list[str]) -> bool:
    return any(overlap(dz, own) is not None for own in cells)


def without(cells: list[str], gone: list[str]) -> list[str]:
    """Return the parts of `cells` that no cell of `gone` covers."""
    rest = dzs.difference(_set(cells), _set(gone))
    return [dzs.text(dz) for dz in rest]


def _set(cells: list[str]) -> dzs.DzSet:
    return dzs.canonical(dzs.parse(dz) for dz in cells)
