"""Traffic for FA-LB (Bhowmik et al., section 5.2): the number of events of each publisher.

Events are assumed to be spread evenly over the advertisement. The part that arrives at a switch is the space
that all tables on the path forward. It is stored as ranges of codes in integers, so that small cells are
counted exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tercast.eventspace.dz import Dz, DzSet, canonical, intersection
from tercast.optimizer.arrays.network_arrays import NO_TABLES, NetworkArrays, TableSet, TopicArrays
from tercast.optimizer.arrays.table_arrays import CellArrays, CellCodes
from tercast.optimizer.arrays.trie_arrays import Nodes
from tercast.optimizer.kernels.tries import Array, meet
from tercast.optimizer.traffic.past_traffic import TopicTraffic
from tercast.routing.cell_keys import Key
from tercast.routing.spanning_tree import Tree

Ranges = tuple[Array, Array]
"""Disjoint ranges of codes in order: their first codes, and the codes after their last."""


@dataclass(frozen=True, slots=True)
class PublisherLoad:
    """Load of one advertisement in one tree: ranges of codes, and events for each code in them."""

    switch: int
    port: int
    ranges: Ranges
    density: float
    came: Array


class PublisherLoads:
    """The publishers of one topic, and where tables send their events."""

    __slots__ = ("_arrays", "_tables", "sources", "topic")

    def __init__(self, arrays: NetworkArrays, topic: TopicArrays, traffic: TopicTraffic | None) -> None:
        self._arrays = arrays
        self._tables = dict(topic.tables)
        self.topic = topic
        self.sources: list[PublisherLoad] = []
        network = arrays.planner.network
        for ad, count in zip(traffic.ads, traffic.counts.tolist(), strict=True) if traffic else ():
            place = network.place(ad.host)
            if place is not None and count:
                self._add(arrays.index[place.switch], place.port, ad.dz, count)

    def set_tables(self, switch: int, tables: TableSet) -> None:
        """Replace the tables of a switch."""
        self._tables[switch] = tables

    def charge(self, switch: int, port: int | None, nodes: Nodes) -> Array:
        """Return the events in each node's own space: by link except the ingress link, and in total."""
        arrays, codes = self._arrays, self.topic.codes
        charge = np.zeros((len(nodes.parent), len(arrays.bits[switch].links) + 1))
        ends = codes.ends(nodes.code, nodes.length)
        below = np.flatnonzero(nodes.parent >= 0)
        for load in self.sources:
            if load.switch == switch:
                ranges, column = self._local(load, port), -1
            elif load.came[switch] < 0 or port is not None:
                continue
            else:
                link = int(load.came[switch])
                ranges, column = (
                    self._through(load, switch),
                    int(arrays.wires.column[arrays.wires.back[link]]),
                )
            mass = _mass(codes, ranges, nodes.code, ends)
            own = mass.copy()
            np.subtract.at(own, nodes.parent[below], mass[below])
            events = own.astype(np.float64) * load.density
            charge += events[:, None]
            if column >= 0:
                charge[:, column] -= events
        return np.maximum(charge, 0.0)

    def _add(self, switch: int, port: int, space: DzSet, count: float) -> None:
        """Add an advertisement, tree by tree."""
        codes, forest = self.topic.codes, self.topic.forest(switch)
        whole = _ranges(codes, space)
        volume = sum(int(b) - int(a) for a, b in zip(*whole, strict=True))
        for tree, part in _by_tree(self.topic, space, forest.owners() if forest is not None else {}):
            came = self._arrays.route(tree, switch)
            self.sources.append(PublisherLoad(switch, port, _ranges(codes, part), count / volume, came))

    def _local(self, load: PublisherLoad, port: int | None) -> Ranges:
        """Return the ranges from a switch that match its plain table, or that of an ingress port."""
        codes = self.topic.codes
        inner = self.topic.tables.get(load.switch, NO_TABLES).inner
        if port is not None:
            return load.ranges if port == load.port else (codes.array([]), codes.array([]))
        if load.port not in inner:
            return load.ranges
        return _meet(codes, load.ranges, _where(codes, inner[load.port], None))

    def _through(self, load: PublisherLoad, switch: int) -> Ranges:
        """Return the ranges that arrive at another switch."""
        wires = self._arrays.wires
        links: list[int] = []
        at = switch
        while at != load.switch:
            links.append(int(load.came[at]))
            at = int(wires.source[links[-1]])
        ranges = load.ranges
        for link in reversed(links):
            ranges = self._sent(load, ranges, link)
        return ranges

    def _sent(self, load: PublisherLoad, ranges: Ranges, link: int) -> Ranges:
        """Return the part of ranges that the switch at the start of a link sends over it."""
        wires, codes = self._arrays.wires, self.topic.codes
        at, column = int(wires.source[link]), int(wires.column[link])
        tables = self._tables.get(at, NO_TABLES)
        plain = _meet(codes, ranges, _where(codes, tables.plain, column))
        if at != load.switch or load.port not in tables.inner:
            return plain
        inner = tables.inner[load.port]
        outside = _meet(codes, plain, _where(codes, inner, None))
        return _joined(codes, outside, _meet(codes, ranges, _where(codes, inner, column)))


def _where(codes: CellCodes, cells: CellArrays, column: int | None) -> Ranges:
    """Return where the innermost cell sends over a link; with no `column`, where none is."""
    first = codes.array([0])
    if not len(cells):
        return (first, codes.array([1 << codes.depth])) if column is None else (first[:0], first[:0])
    starts, owner = cells.stretches(codes)
    if starts[0] != 0:
        starts, owner = np.concatenate((first, starts)), np.concatenate(([-1], owner))
    if column is None:
        flags = owner < 0
    else:
        flags = (owner >= 0) & (cells.mask[owner, column // 62] >> column % 62 & 1).astype(np.bool_)
    edge = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    bounds = np.concatenate((starts, codes.array([1 << codes.depth])))[edge]
    return bounds[::2], bounds[1::2]


def _meet(codes: CellCodes, a: Ranges, b: Ranges) -> Ranges:
    """Intersect two sets of ranges."""
    run = meet.pure if codes.is_wide else meet
    low, high = run(*a, *b)
    return low, high


def _joined(codes: CellCodes, a: Ranges, b: Ranges) -> Ranges:
    """Join two sets of ranges that do not overlap."""
    low, high = np.concatenate((a[0], b[0])), np.concatenate((a[1], b[1]))
    order = np.argsort(low, kind="stable")
    return low[order], high[order]


def _mass(codes: CellCodes, ranges: Ranges, low: Array, high: Array) -> Array:
    """Count the codes of ranges in each of the cells from `low` to before `high`."""
    if not len(ranges[0]):
        return np.zeros(len(low), dtype=codes.kind)
    before = np.concatenate((codes.array([0]), np.cumsum(ranges[1] - ranges[0])))

    def up_to(code: Array) -> Array:
        at = np.searchsorted(ranges[0], code, side="right")
        beyond = np.maximum(ranges[1][np.maximum(at - 1, 0)] - code, 0)
        return before[at] - np.where(at > 0, beyond, 0)

    return up_to(high) - up_to(low)


def _ranges(codes: CellCodes, space: DzSet) -> Ranges:
    """Convert a canonical set to ranges; cells deeper than the codes become whole codes."""
    short = canonical(dz >> max(0, dz.bit_length() - 1 - codes.depth) for dz in space)
    lengths = np.array([dz.bit_length() - 1 for dz in short], dtype=np.int64)
    low = codes.of_events(list(short))
    return low, codes.ends(low, lengths)


def _by_tree(topic: TopicArrays, space: DzSet, owners: Mapping[Key, Tree]) -> list[tuple[Tree, DzSet]]:
    """Return the parts of a set that trees own."""
    cells: dict[int, tuple[Tree, list[Dz]]] = {}
    for key, tree in owners.items():
        cells.setdefault(tree.number, (tree, []))[1].append(topic.plan.order.dz(key))
    parts = [(tree, intersection(space, canonical(found))) for tree, found in cells.values()]
    return [(tree, part) for tree, part in parts if part]
