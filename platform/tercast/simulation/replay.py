"""The same events sent through one set of tables after another, for who compares them.

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
    """Events of one network, encoded, with who wants them."""

    def __init__(self, wiring: PortIndex, address: AddressPlan, parcels: Iterable[PacketBatch]) -> None:
        self._wiring = wiring
        self._address = address
        self._parcels = list(parcels)

    @classmethod
    def of(cls, planner: Planner, events: Iterable[object]) -> Replay:
        """Events as in a file of events, for a planner as it is now; Refused like in `tercast simulate`.

        Later changes of the network or of subscriptions are not followed.
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
        """What becomes of all events in these tables, given by switch."""
        found = lookups(tables, self._address, self._wiring)
        sending = Simulator(self._wiring)
        for parcels in self._parcels:
            sending.send(parcels, found.get(parcels.code))
        return sending.counts()
