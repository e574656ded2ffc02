"""Replay of the same events through several sets of tables, to compare them.

replay = Replay.of(planner, events)
before, after = replay.through(planner.exact_tables()), replay.through(planner.tables())
added = after.copies.total() - before.copies.total()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tercast.eventspace.address_plan import AddressPlan
from tercast.filters.filter import Filter
from tercast.planner.planner import Planner
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.simulation.port_index import PortIndex
from tercast.simulation.publications import Publications
from tercast.simulation.simulator import PacketBatch, Simulator, lookups
from tercast.tables.entries import Entry


class Replay:
    """Encoded events of one network, with the hosts that match them."""

    def __init__(self, wiring: PortIndex, address: AddressPlan, parcels: Iterable[PacketBatch]) -> None:
        self._wiring = wiring
        self._address = address
        self._parcels = list(parcels)

    @classmethod
    def of(cls, planner: Planner, events: Iterable[object]) -> Replay:
        """Read events as in a file of events, for a planner in its current state.

        Later changes of the network or of subscriptions have no effect.

        Raises:
            Refused: an event is invalid, as for `tercast simulate`.
        """
        wiring = PortIndex(planner.topology)
        live = dict(planner.registry.live)
        filters = {
            name: Filter.parse(reg.filter, planner.topics[reg.topic])
            for name, reg in live.items()
            if reg.filter is not None
        }
        publications = Publications(dict(planner.topics), live, filters, planner.depth, wiring)
        return cls(wiring, planner.address, publications.pack(map(publications.read, events)))

    def through(self, tables: Mapping[str, Iterable[Entry]]) -> DeliveryCounts:
        """Send all events through the given tables (by switch), and count the deliveries."""
        found = lookups(tables, self._address, self._wiring)
        sending = Simulator(self._wiring)
        for parcels in self._parcels:
            sending.send(parcels, found.get(parcels.code))
        return sending.counts()
