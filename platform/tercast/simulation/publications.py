"""Events as JSON: reading, checking, and preparation for the simulation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from tercast.errors import Refused, shown
from tercast.eventspace.dz import Dz, covers
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Topic
from tercast.filters.batch_matcher import Audience, Flags
from tercast.filters.filter import Filter
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.runtime.strict_json import expect_keys, expect_object, expect_text
from tercast.simulation.port_index import PortIndex
from tercast.simulation.simulator import PacketBatch

_CHUNK = 1 << 15
"""Number of events that are prepared together."""

_CELLS = 1 << 26
"""Largest number of pairs of an event and a host in one batch."""


class Publication(NamedTuple):
    """A permitted event: the advertisement of its publisher, and its checked values."""

    ad: Registration
    values: dict[str, Any]


class Publications:
    """Reads events of live advertisements, and finds the hosts that match them.

    `filters` has the filter of every registration that has one. The others are represented by their dz.
    """

    def __init__(
        self,
        topics: Mapping[str, Topic],
        live: Mapping[str, Registration],
        filters: Mapping[str, Filter],
        depth: int,
        wiring: PortIndex,
    ) -> None:
        self._topics = topics
        self._live = live
        self._filters = filters
        self._depth = depth
        self._wiring = wiring
        index = wiring.world.index
        self._audiences: dict[str, Audience] = {}
        self._cells: dict[str, list[tuple[int, Dz]]] = {}
        for name, topic in topics.items():
            subs = [reg for reg in live.values() if reg.topic == name and reg.kind != ADVERTISEMENT]
            named = ((index[reg.host], filters[reg.id]) for reg in subs if reg.id in filters)
            self._audiences[name] = Audience(topic, named, len(index))
            self._cells[name] = [
                (index[reg.host], dz) for reg in subs if reg.id not in filters for dz in reg.dz
            ]

    def read(self, event: object) -> Publication:
        """Read an event from JSON; raise Refused if its publisher may not send it."""
        fields = expect_keys(event, (), ("publisher", "values"))
        name = expect_text(fields["publisher"], ("publisher",))
        ad = self._live.get(name)
        if ad is None or ad.kind != ADVERTISEMENT:
            rule = (
                f"there is no active advertisement {shown(name)}; use the id of an active advertisement, "
                "for example a1"
            )
            raise Refused(("publisher",), "unknown_publisher", rule, name)
        topic = self._topics[ad.topic]
        values = topic.check_json(expect_object(fields["values"], ("values",)), ("values",))
        if not self._advertised(ad, topic, values):
            detail = f"the event does not match advertisement {shown(name)}: {ad.filter or 'true'}"
            raise Refused(("values",), "outside_advertisement", detail)
        return Publication(ad, values)

    def pack(self, publications: Iterable[Publication]) -> Iterator[PacketBatch]:
        """Prepare events in batches of one topic, limited by memory."""
        size = max(1, min(_CHUNK, _CELLS // max(1, len(self._wiring.home))))
        waiting = iter(publications)
        while chunk := list(islice(waiting, size)):
            yield from self._pack(chunk)

    def _pack(self, publications: Iterable[Publication]) -> Iterator[PacketBatch]:
        by_topic: dict[str, list[Publication]] = {}
        for publication in publications:
            by_topic.setdefault(publication.ad.topic, []).append(publication)
        wiring = self._wiring
        for name, own in by_topic.items():
            topic = self._topics[name]
            values = [publication.values for publication in own]
            dz = event_dz_batch(topic, values, self._depth)
            homes = [wiring.world.index[publication.ad.host] for publication in own]
            wanted = self._audiences[name].wanting(values)
            self._mark_cells(name, dz, wanted)
            yield PacketBatch.of(topic.code, dz, wiring.home[homes], wanted)

    def _advertised(self, ad: Registration, topic: Topic, values: dict[str, Any]) -> bool:
        filter_ = self._filters.get(ad.id)
        if filter_ is not None:
            return filter_.matches(values)
        dz = topic.event_dz(values, self._depth)
        return any(covers(cell, dz) for cell in ad.dz)

    def _mark_cells(self, topic: str, dz: list[Dz], wanted: Flags) -> None:
        """Mark the events that subscriptions without a filter want, by their dz."""
        for host, cell in self._cells[topic]:
            wanted[:, host] |= np.array([covers(cell, point) for point in dz], dtype=np.bool_)
