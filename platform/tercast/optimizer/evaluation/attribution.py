"""Attribution of aggregated entries: subscriptions that they serve, and redundant copies."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercast.eventspace.dz import Dz, DzSet, canonical, difference, intersection
from tercast.eventspace.dz import covers as holds
from tercast.optimizer.arrays.network_arrays import NetworkArrays, TableSet, TopicArrays
from tercast.optimizer.arrays.table_arrays import CellArrays, hosts_in
from tercast.optimizer.arrays.tree_crossings import Crossing, CrossingPart, crossings
from tercast.optimizer.evaluation.cover_evaluation import CandidateTables, arrays_under, flows_under
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.traffic.event_flows import EventArrivals, EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.requests.registry import Registration
from tercast.routing.cell_keys import Key, Order
from tercast.tables.covers import Cover, NetworkCovers

if TYPE_CHECKING:
    from tercast.planner.planner import Planner


@dataclass(frozen=True, slots=True)
class Attribution:
    """One entry under a cover: the subscriptions it serves, and its effect on given traffic.

    It serves a subscription if advertised events that the subscription matches also match the entry. `copies`
    counts the copies that it sent to other switches and that the exact entries would not have sent.
    `unwanted` counts false positives: such copies to hosts.
    """

    switch: str
    topic: str
    in_port: int | None
    dz: Dz
    subscriptions: tuple[str, ...]
    copies: float
    unwanted: float


def attribute(
    planner: Planner, traffic: Traffic, covers: NetworkCovers | None = None, switch: str | None = None
) -> list[Attribution]:
    """Attribute all entries under covers, of one switch or of all; by default installed covers."""
    return attribute_each(planner, [traffic], covers, None if switch is None else (switch,))[0]


def attribute_each(
    planner: Planner,
    several: Sequence[Traffic],
    covers: NetworkCovers | None = None,
    switches: Collection[str] | None = None,
) -> list[list[Attribution]]:
    """Attribute the entries under covers to several traffics; the subscriptions are found once.

    Args:
        planner: the planner.
        several: the traffics.
        covers: the covers; by default the installed ones.
        switches: the switches whose entries are attributed; None means all.
    """
    known = planner.budget_enforcer.covers() if covers is None else covers
    arrays, tables = arrays_under(planner, known)
    samples = [flows_under(arrays, tables, traffic) for traffic in several]
    wanting = {topic.name: _CellSubscriptions(planner, topic) for topic in arrays.topics}
    found: list[list[Attribution]] = [[] for _ in several]
    for name, topics in known.items():
        if name not in arrays.index or (switches is not None and name not in switches):
            continue
        for number, topic in enumerate(arrays.topics):
            if topic.name in topics:
                at = _TopicAtSwitch(arrays, topic, arrays.index[name], tables)
                table = topics[topic.name]
                here = [of_one[number] for of_one in samples]
                for port, some in ((None, table.plain), *table.in_port.items()):
                    for entry in at.entries(here, wanting[topic.name], port, some):
                        for out, one in zip(found, entry, strict=True):
                            out.append(one)
    return found


class _CellSubscriptions:
    """The subscriptions of a topic by their cells, in order."""

    def __init__(self, planner: Planner, topic: TopicArrays) -> None:
        order = topic.plan.order
        self.order: Order = order
        by_key: dict[Key, list[Registration]] = {}
        for registration in planner.registry.subscriptions(topic.name):
            for dz in registration.dz:
                by_key.setdefault(order.key(dz), []).append(registration)
        self.keys = sorted(by_key)
        self.by_key = by_key

    def overlapping(self, key: Key) -> Iterator[Registration]:
        """Yield the subscriptions that overlap a cell."""
        order = self.order
        dz = order.dz(key)
        for k in range(1, dz.bit_length()):
            yield from self.by_key.get(order.key(dz >> k), ())
        for i in range(bisect_left(self.keys, key), bisect_left(self.keys, order.end(key))):
            yield from self.by_key[self.keys[i]]


class _TopicAtSwitch:
    """One topic at one switch."""

    def __init__(
        self, arrays: NetworkArrays, topic: TopicArrays, switch: int, tables: CandidateTables
    ) -> None:
        self.arrays = arrays
        self.topic = topic
        self.switch = switch
        self.exact = topic.tables.get(switch)
        self.now = tables.get(switch, {}).get(topic.name)
        self.crossings = crossings(arrays, topic, switch)
        inner = self.now.inner if self.now is not None else {}
        self.of_ports: dict[int | None, DzSet] = {
            port: _inner_cells(topic, cells) for port, cells in inner.items()
        }

    def entries(
        self,
        samples: Sequence[EventFlows],
        wanting: _CellSubscriptions,
        port: int | None,
        covers: Iterable[Cover],
    ) -> Iterator[list[Attribution]]:
        """Yield the entries under covers of one table, each with its effect on every sample."""
        if self.exact is None or self.now is None:
            return
        cells = _table(self.now, port)
        costs = [self._unneeded(sample, port, cells) for sample in samples]
        numbers = {
            self.topic.codes.dz(code, length): i
            for i, (code, length) in enumerate(zip(cells.code.tolist(), cells.length.tolist(), strict=True))
        }
        switch, topic = self.arrays.names[self.switch], self.topic.name
        for cover in covers:
            for dz in (cover.dz, *cover.kept):
                n = numbers[dz]
                names = self._stands_for(wanting, port, dz, cover.kept, cells.mask[n])
                yield [
                    Attribution(switch, topic, port, dz, names, float(copies[n]), float(unwanted[n]))
                    for copies, unwanted in costs
                ]

    def _stands_for(
        self, wanting: _CellSubscriptions, port: int | None, dz: Dz, kept: Iterable[Dz], mask: Array
    ) -> tuple[str, ...]:
        """Return the subscriptions that an entry serves: wanted events match it on their path."""
        parts = self._parts(wanting.order, port, dz, kept)
        found: dict[str, int] = {}
        for registration in wanting.overlapping(wanting.order.key(dz)):
            if registration.id not in found and any(
                self._leads(registration, crossing, port, mask) and part.meets(registration.dz)
                for crossing, part in parts
            ):
                found[registration.id] = registration.seq
        return tuple(sorted(found, key=found.__getitem__))

    def _parts(
        self, order: Order, port: int | None, dz: Dz, kept: Iterable[Dz]
    ) -> list[tuple[Crossing, CrossingPart]]:
        """Return the events that match an entry, by tree and side, without those of other entries."""
        below = canonical(other for other in kept if other != dz and holds(dz, other))
        space = difference((dz,), below)
        found: list[tuple[Crossing, CrossingPart]] = []
        for crossing in self.crossings:
            if port is None:
                taken = self.of_ports.get(crossing.port, ())
            elif crossing.port == port:
                taken = ()
            else:
                continue
            part = CrossingPart(order, intersection(difference(space, taken), crossing.cells))
            if part:
                found.append((crossing, part))
        return found

    def _leads(self, registration: Registration, crossing: Crossing, port: int | None, mask: Array) -> bool:
        """Whether outputs lead to a host, for events that do not come from its direction."""
        place = self.arrays.planner.network.place(registration.host)
        if place is None:
            return False
        target = self.arrays.index[place.switch]
        if target == self.switch:
            if port is None and crossing.port == place.port:
                return False
            bit = self.arrays.sites[target].host_bits.get(registration.host, 0)
            return bool(self.arrays.bits[self.switch].mask(mask) & bit)
        column = int(crossing.way[target])
        return column not in (-1, crossing.column) and bool(int(mask[column // 62]) >> column % 62 & 1)

    def _unneeded(self, sample: EventFlows, port: int | None, cells: CellArrays) -> tuple[Array, Array]:
        """Return the redundant copies and the false positives of each entry."""
        assert self.exact is not None
        bits, arrivals = self.arrays.bits[self.switch], sample.arrivals(self.switch, port)
        code, weight = sample.code[arrivals.event], sample.weight[arrivals.event]
        owner = sample.owner(cells, code)
        hit = np.flatnonzero((owner >= 0) & ~self._taken(sample, port, arrivals, code))
        owner, code, weight = owner[hit], code[hit], weight[hit]
        sent = cells.mask[owner]
        wanted = self._exact_outputs(sample, port, code)
        surplus = sent & ~wanted
        ingress, came_from = arrivals.ingress[hit], arrivals.source[hit]
        for number in np.unique(came_from[ingress < 0]).tolist() if port is None else ():
            surplus[came_from == number] &= sample.apart(sample.sources[number])
        back = np.flatnonzero(ingress >= 0)
        surplus[back, ingress[back] // 62] &= ~(1 << ingress[back] % 62)
        links = np.bitwise_count(surplus[:, : bits.link_words]).sum(axis=1)
        hosts = hosts_in(surplus, bits.link_words)
        return (
            np.bincount(owner, weights=weight * links, minlength=len(cells)),
            np.bincount(owner, weights=weight * hosts, minlength=len(cells)),
        )

    def _taken(self, sample: EventFlows, port: int | None, arrivals: EventArrivals, code: Array) -> Array:
        """Return which events at the plain table match an installed in-port entry instead."""
        taken = np.zeros(len(code), dtype=np.bool_)
        if port is not None or self.now is None:
            return taken
        for number, source in enumerate(sample.sources):
            inner = self.now.inner.get(source.port) if source.switch == self.switch else None
            if inner is not None:
                mine = np.flatnonzero((arrivals.source == number) & (arrivals.ingress < 0))
                taken[mine] = sample.owner(inner, code[mine]) >= 0
        return taken

    def _exact_outputs(self, sample: EventFlows, port: int | None, code: Array) -> Array:
        assert self.exact is not None
        words = self.arrays.bits[self.switch].words
        plain = sample.rows(self.exact.plain, code, words)
        if port is None:
            return plain
        inner = self.exact.inner.get(port)
        if inner is None:
            return plain
        owner = sample.owner(inner, code)
        return np.where((owner >= 0)[:, None], inner.mask[owner], plain)


def _table(tables: TableSet, port: int | None) -> CellArrays:
    return tables.plain if port is None else tables.inner[port]


def _inner_cells(topic: TopicArrays, cells: CellArrays) -> DzSet:
    """Return all cells that entries of a port cover."""
    pairs = zip(cells.code.tolist(), cells.length.tolist(), strict=True)
    return canonical(topic.codes.dz(code, length) for code, length in pairs)
