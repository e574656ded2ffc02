"""Flows of the events of one topic: the switches that forward each event.

Events are grouped by source (switch, port and tree), and each group is sorted by code. Because trees do not
mix, an event arrives at a switch at most once, from a side that its tree determines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tercast.eventspace.dz import WHOLE
from tercast.optimizer.arrays.network_arrays import NO_TABLES, NetworkArrays, TableSet, TopicArrays
from tercast.optimizer.arrays.table_arrays import CellArrays, hosts_in
from tercast.optimizer.kernels.tries import Array, downstream, send
from tercast.optimizer.traffic.past_traffic import TopicTraffic
from tercast.routing.spanning_tree import Tree


@dataclass(frozen=True, slots=True)
class EventSource:
    """The origin of events: a port of a switch, on a tree, with its events and their paths."""

    switch: int
    port: int
    tree: Tree
    events: slice
    came: Array


@dataclass(frozen=True, slots=True)
class EventArrivals:
    """Events that arrive at a table, with their link column (-1: from a host) and their source."""

    event: Array
    ingress: Array
    source: Array


class EventFlows:
    """Events of one topic, and where tables send them."""

    __slots__ = ("_arrays", "_forward", "_hosts", "code", "sources", "topic", "weight")

    def __init__(self, arrays: NetworkArrays, topic: TopicArrays, traffic: TopicTraffic | None) -> None:
        self._arrays = arrays
        self.topic = topic
        self.sources, self.code, self.weight = _by_source(arrays, topic, traffic)
        self._forward = np.zeros((len(arrays.wires), len(self.code)), dtype=np.bool_)
        self._hosts = np.zeros((len(arrays.names), len(self.code)), dtype=np.int16)
        for switch, tables in topic.tables.items():
            self.set_tables(switch, tables)

    def set_tables(self, switch: int, tables: TableSet) -> None:
        """Replace the tables of a switch."""
        if not len(self.code):
            return
        self._send(switch, tables.plain, slice(0, len(self.code)))
        for source in self.sources:
            if source.switch == switch:
                self._send(switch, tables.plain, source.events, self.apart(source))
                if source.port in tables.inner:
                    self._send(switch, tables.inner[source.port], source.events, keep=True)

    def _send(
        self, switch: int, cells: CellArrays, events: slice, among: Array | None = None, *, keep: bool = False
    ) -> None:
        """Let a switch send events by the entries of one table, with only the outputs `among`.

        `among` is None for all outputs. Events that match no entry are not sent. With `keep`, their previous
        outputs stay.
        """
        bits, arrays = self._arrays.bits[switch], self._arrays
        wires = arrays.wires.of(switch)
        mask = np.concatenate((cells.mask, np.zeros((1, bits.words), dtype=np.int64)))
        if among is not None:
            mask &= among
        columns = arrays.wires.column[wires]
        over = mask[:, columns // 62] >> columns % 62 & 1
        hosts = hosts_in(mask, bits.link_words)
        if self.topic.codes.is_wide or not len(cells):
            owner = self.owner(cells, self.code[events])
            chosen = np.flatnonzero(owner >= 0) if keep else np.arange(len(owner))
            self._hosts[switch, events.start + chosen] = hosts[owner[chosen]]
            for number, link in enumerate(wires.tolist()):
                self._forward[link, events.start + chosen] = over[owner[chosen], number]
            return
        starts, owner = cells.stretches(self.topic.codes)
        for low, high in self._runs(events):
            send(
                self.code,
                low,
                high,
                starts,
                owner,
                over,
                hosts,
                wires,
                self._forward,
                self._hosts,
                switch,
                keep,
            )

    def _runs(self, events: slice) -> Iterator[tuple[int, int]]:
        """Yield the ranges of the events of each source in a slice, in which codes ascend."""
        for source in self.sources:
            if events.start <= source.events.start and source.events.stop <= events.stop:
                yield source.events.start, source.events.stop

    def arrivals(self, switch: int, port: int | None = None) -> EventArrivals:
        """Return the events at the plain table of a switch, or at that of an ingress port."""
        wires = self._arrays.wires
        events: list[Array] = [np.zeros(0, dtype=np.int64)]
        ingress: list[Array] = [np.zeros(0, dtype=np.int64)]
        sources: list[Array] = [np.zeros(0, dtype=np.int64)]
        for number, source in enumerate(self.sources):
            if source.switch == switch:
                found, column = self._local(source, port), -1
            elif source.came[switch] < 0 or port is not None:
                continue
            else:
                column = int(wires.column[wires.back[source.came[switch]]])
                found = np.flatnonzero(self._through(source, switch)) + source.events.start
            events.append(found)
            ingress.append(np.full(len(found), column))
            sources.append(np.full(len(found), number))
        return EventArrivals(np.concatenate(events), np.concatenate(ingress), np.concatenate(sources))

    def _local(self, source: EventSource, port: int | None) -> Array:
        """Return the events from a switch that match its plain table, or that of an ingress port."""
        mine = np.arange(source.events.start, source.events.stop)
        inner = self.topic.tables.get(source.switch, NO_TABLES).inner
        if port is not None:
            return mine if port == source.port else mine[:0]
        if source.port in inner:
            return mine[self.owner(inner[source.port], self.code[mine]) < 0]
        return mine

    def _through(self, source: EventSource, switch: int) -> Array:
        """Return which events of a source arrive at another switch."""
        wires = self._arrays.wires
        link = int(source.came[switch])
        there = self._forward[link, source.events].copy()
        at = int(wires.source[link])
        while at != source.switch:
            link = int(source.came[at])
            there &= self._forward[link, source.events]
            at = int(wires.source[link])
        return there

    def apart(self, source: EventSource) -> Array:
        """Return all bits except the hosts on a source's port; plain entries send nothing back."""
        site, bits = self._arrays.sites[source.switch], self._arrays.bits[source.switch]
        return np.asarray(~bits.rows([site.hosts_on(source.port)])[0])

    def behind(self, link: int, event: Array) -> Array:
        """Count the copies that tables behind a link make of events, plus 0.2 for each host."""
        wires = self._arrays.wires
        return np.asarray(
            downstream(
                event, link, self._forward, self._hosts, wires.out, wires.first, wires.back, wires.target
            )
        )

    def copies(self) -> tuple[Array, Array]:
        """Return the weight of copies on each link, and of deliveries by each switch to hosts."""
        wires = self._arrays.wires
        over = np.zeros(len(wires))
        delivered = np.zeros(len(self._arrays.names))
        for source in self.sources:
            weight = self.weight[source.events]
            for at, here in self._reached(source):
                if at != source.switch:
                    over[source.came[at]] += weight[here].sum()
                delivered[at] += (weight * self._hosts[at, source.events])[here].sum()
        return over, delivered

    def of_each(self) -> tuple[Array, Array]:
        """Count the copies over links and the deliveries to hosts of each event."""
        copies, delivered = np.zeros(len(self.code)), np.zeros(len(self.code))
        for source in self.sources:
            for at, here in self._reached(source):
                copies[source.events] += here & (at != source.switch)
                delivered[source.events] += here * self._hosts[at, source.events]
        return copies, delivered

    def _reached(self, source: EventSource) -> Iterator[tuple[int, Array]]:
        """Yield each switch that events of a source can reach, and which of them do."""
        link_source = self._arrays.wires.source
        there = {source.switch: np.ones(len(self.code[source.events]), dtype=np.bool_)}
        for at in _outward(source, link_source):
            if at != source.switch:
                link = int(source.came[at])
                there[at] = there[int(link_source[link])] & self._forward[link, source.events]
            yield at, there[at]

    def rows(self, cells: CellArrays, code: Array, words: int) -> Array:
        """Return the masks of the entries that codes match; 0 if there is no entry."""
        nothing = np.zeros((1, words), dtype=np.int64)
        if not len(cells):
            return np.repeat(nothing, len(code), axis=0)
        found: Array = np.concatenate((cells.mask, nothing))[self.owner(cells, code)]
        return found

    def owner(self, cells: CellArrays, code: Array) -> Array:
        """Return the entry that each code matches; -1: none."""
        if not len(cells):
            return np.full(len(code), -1)
        starts, owner = cells.stretches(self.topic.codes)
        at = np.searchsorted(starts, code, side="right") - 1
        return np.where(at >= 0, owner[at], -1)


def _outward(source: EventSource, link_source: Array) -> list[int]:
    """Return the switches that events of a source can reach, in the order of their path."""
    order = [source.switch]
    below: dict[int, list[int]] = {}
    for at in np.flatnonzero(source.came >= 0).tolist():
        below.setdefault(int(link_source[source.came[at]]), []).append(at)
    for at in order:
        order += below.get(at, ())
    return order


def _by_source(
    arrays: NetworkArrays, topic: TopicArrays, traffic: TopicTraffic | None
) -> tuple[list[EventSource], Array, Array]:
    """Return sources with events, codes and weights, without events of unreachable publishers."""
    codes = topic.codes
    if traffic is None or not len(traffic):
        return [], codes.array([]), np.zeros(0)
    code = codes.of_events(traffic.dz)
    number = np.full(len(code), -1, dtype=np.int64)
    found: dict[tuple[int, int, int], tuple[int, Tree]] = {}
    network = arrays.planner.network
    for who, ad in enumerate(traffic.ads):
        place = network.place(ad.host)
        mine = np.flatnonzero(traffic.who == who)
        if place is None or not len(mine):
            continue
        switch = arrays.index[place.switch]
        for tree, chosen in _on_trees(topic, switch, [traffic.dz[i] for i in mine.tolist()]):
            group = found.setdefault((switch, place.port, tree.number), (len(found), tree))
            number[mine[chosen]] = group[0]
    order = np.argsort(code, kind="stable")
    order = order[np.argsort(number[order], kind="stable")]
    order = order[np.searchsorted(number[order], 0) :]
    bounds = np.searchsorted(number[order], np.arange(len(found) + 1)).tolist()
    sources = [
        EventSource(switch, port, tree, slice(low, high), arrays.route(tree, switch))
        for ((switch, port, _), (_, tree)), (low, high) in zip(found.items(), pairwise(bounds), strict=True)
    ]
    return sources, code[order], traffic.weight[order]


def _on_trees(topic: TopicArrays, switch: int, cells: list[int]) -> list[tuple[Tree, Array]]:
    """Return which of the events, published at a switch, use which tree."""
    forest = topic.forest(switch)
    if forest is None:
        return []
    order, owners = topic.plan.order, forest.owners()
    tops = sorted(owners)
    if tops == [order.key(WHOLE)]:
        return [(owners[tops[0]], np.arange(len(cells)))]
    out: dict[int, tuple[Tree, list[int]]] = {}
    for i, dz in enumerate(cells):
        key = order.key(dz)
        at = bisect_right(tops, key) - 1
        if at >= 0 and order.covers(tops[at], key):
            tree = owners[tops[at]]
            out.setdefault(tree.number, (tree, []))[1].append(i)
    return [(tree, np.array(chosen, dtype=np.int64)) for tree, chosen in out.values()]
