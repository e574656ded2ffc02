"""Simulator that sends batches of events through tables, and counts the deliveries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tercast.errors import Refused
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz
from tercast.filters.batch_matcher import Flags
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.simulation.hop_propagation import HopTraces, follow
from tercast.simulation.lookup_tables import Lookup, LookupRule, column
from tercast.simulation.port_index import NOWHERE, PortIndex, ShortInts
from tercast.simulation.single_event import walk
from tercast.tables.entries import Entry
from tercast.topology.topology import Port

Name = TypeVar("Name", str, Port)

_BATCH = 8_192
_CELLS = 1 << 25
"""Largest number of elements in a matrix of a batch."""


@dataclass(frozen=True, slots=True)
class PacketBatch:
    """Events of one topic: its code, the dz of each event, the publisher's gate, and the hosts.

    `gates` has NOWHERE for publishers that are not attached. `bits` has a row for each event, with a bit for
    each of `hosts` hosts that matches the event.
    """

    code: int
    dz: Sequence[Dz]
    gates: ShortInts
    bits: npt.NDArray[np.uint8]
    hosts: int

    @classmethod
    def of(cls, code: int, dz: Sequence[Dz], gates: ShortInts, wanted: Flags) -> PacketBatch:
        """Pack `wanted`, a matrix with a row for each event and a column for each host."""
        return cls(code, dz, gates, np.packbits(wanted, axis=1), wanted.shape[1])

    def wanted(self, some: slice) -> Flags:
        """Return the wanted matrix of some of the events."""
        return np.unpackbits(self.bits[some], axis=1, count=self.hosts).view(np.bool_)


class Simulator:
    """Sends batches of events through tables and counts deliveries."""

    def __init__(self, wiring: PortIndex) -> None:
        self._wiring = wiring
        self._copies = np.zeros(len(wiring.ports), dtype=np.int64)
        self._redundant = np.zeros(len(wiring.ports), dtype=np.int64)
        self._wanted_by = np.zeros(len(wiring.home), dtype=np.int64)
        self._unwanted_by = np.zeros(len(wiring.home), dtype=np.int64)
        self._counts = DeliveryCounts()

    def send(self, parcels: PacketBatch, lookup: Lookup | None) -> None:
        """Send all events of a batch; without tables no event gets anywhere."""
        self._counts.events += len(parcels.dz)
        if lookup is None:
            lookup = Lookup({}, self._wiring)
        atoms = lookup.atoms(column([self._point(dz, lookup.width) for dz in parcels.dz], lookup.width))
        size = max(1, min(_BATCH, _CELLS // max(1, self._wiring.links, len(lookup.lines))))
        for start in range(0, len(parcels.dz), size):
            some = slice(start, start + size)
            wanted, gates = parcels.wanted(some), parcels.gates[some]
            self._wanted_by += np.count_nonzero(wanted, axis=0)
            out = gates != NOWHERE
            self._send(lookup, atoms[some][out], gates[out], wanted[out])

    def counts(self) -> DeliveryCounts:
        """Return the counts so far."""
        wiring, counts = self._wiring, self._counts
        names = wiring.world.names
        counts.wanted = int(self._wanted_by.sum())
        counts.unwanted = int(self._unwanted_by.sum())
        counts.wanted_by = _named(names, self._wanted_by)
        counts.unwanted_by = _named(names, self._unwanted_by)
        senders = [wiring.ports[gate] for gate in wiring.far[: wiring.links].tolist()]
        counts.copies = _named(senders, self._copies)
        counts.needless = _named(senders, self._redundant)
        return counts

    @staticmethod
    def _point(dz: Dz, width: int) -> int:
        """Return the first `width` bits of an address, in which zeros follow a dz."""
        length = dz.bit_length() - 1
        bits = dz ^ 1 << length
        return bits >> length - width if length >= width else bits << width - length

    def _send(self, lookup: Lookup, atoms: ShortInts, gates: ShortInts, wanted: Flags) -> None:
        winners, columns = lookup.winners(atoms)
        ways = follow(lookup, self._wiring, winners, columns, gates)
        if ways.odd.any():
            for i in np.flatnonzero(ways.odd).tolist():
                self._walk(lookup, winners[:, columns[i]], int(gates[i]), wanted[i])
            fine = ~ways.odd
            columns, gates, wanted = columns[fine], gates[fine], wanted[fine]
            ways = follow(lookup, self._wiring, winners, columns, gates)
        self._count(ways, gates, wanted)

    def _count(self, ways: HopTraces, gates: ShortInts, wanted: Flags) -> None:
        size = len(self._copies)
        got = np.zeros_like(wanted)
        delivered = 0
        for number, (hop, useful) in enumerate(zip(ways.hops, ways.useful(wanted), strict=True)):
            got[hop.to_event, hop.to_host] = True
            delivered += len(hop.to_event)
            if number:
                self._copies += np.bincount(hop.gate, minlength=size)
                self._redundant += np.bincount(hop.gate[~useful], minlength=size)
        self._counts.delivered += delivered
        self._counts.doubled += delivered - int(np.count_nonzero(got))
        self._unwanted_by += np.count_nonzero(got > wanted, axis=0)
        missed = wanted > got
        if missed.any():
            missed &= self._wiring.component[gates][:, None] == self._wiring.host_component[None]
            self._counts.lost += int(np.count_nonzero(missed))

    def _walk(self, lookup: Lookup, winners: ShortInts, gate: int, wanted: Flags) -> None:
        """Count one event alone."""
        wiring, counts = self._wiring, self._counts
        way = walk(lookup, wiring, winners, gate)
        got = Counter(host for host, _ in way.deliveries)
        wanting = set(np.flatnonzero(wanted).tolist())
        counts.loops += way.loops
        counts.delivered += got.total()
        counts.doubled += got.total() - len(got)
        for host in got.keys() - wanting:
            self._unwanted_by[host] += 1
        counts.lost += sum(
            1 for host in wanting - got.keys() if wiring.host_component[host] == wiring.component[gate]
        )
        useful = way.useful(wanting)
        for copy, at in enumerate(way.gates[1:], 1):
            self._copies[at] += 1
            self._redundant[at] += copy not in useful


def _named(names: Sequence[Name], numbers: npt.NDArray[np.int64]) -> Counter[Name]:
    return Counter({names[i]: int(numbers[i]) for i in np.flatnonzero(numbers).tolist()})


def lookups(
    tables: Mapping[str, Iterable[Entry]], address: AddressPlan, wiring: PortIndex
) -> dict[int, Lookup]:
    """Return the lookups of tables by topic code; skip entries that no event can match."""
    rules: dict[int, dict[str, list[LookupRule]]] = {}
    known: dict[str, tuple[int, Dz] | None] = {}
    for switch, entries in tables.items():
        for entry in entries:
            if entry.dst not in known:
                known[entry.dst] = _parsed(address, entry.dst)
            where = known[entry.dst]
            if where is not None:
                rule = LookupRule(where[1], entry.in_port, entry.priority, entry.actions)
                rules.setdefault(where[0], {}).setdefault(switch, []).append(rule)
    return {code: Lookup(own, wiring) for code, own in rules.items()}


def _parsed(address: AddressPlan, dst: str) -> tuple[int, Dz] | None:
    try:
        return address.parse_match(dst)
    except Refused:
        return None  # no event has such an address; the verifier reports it
