"""Reader of past events from JSON, for the publishers of a planner.

An event is refused if it names no live advertisement, or if it is outside the advertisement.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.event_encoder import event_dz_batch, event_indexes
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.optimizer.traffic.past_traffic import TopicTraffic, Traffic
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.runtime.strict_json import expect_keys, expect_text

if TYPE_CHECKING:
    from tercast.planner.planner import Planner


class TrafficReader:
    """Reads events of the publishers of a planner from JSON."""

    def __init__(self, planner: Planner) -> None:
        self._live = planner.registry.live
        self._topics = planner.topics
        self._depth = planner.depth
        self._filters: dict[str, Filter | None] = {}
        self._who: dict[str, list[str]] = {}
        self._values: dict[str, list[Mapping[str, Any]]] = {}

    def take(self, event: object) -> None:
        """Add one event; raise Refused if its publisher is unknown or may not send it."""
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
        values = topic.check_json(fields["values"], ("values",))
        filter_ = self._filter(ad, topic)
        if filter_ is not None and not filter_.matches(values):
            detail = f"the event does not match advertisement {shown(name)}: {ad.filter or 'true'}"
            raise Refused(("values",), "outside_advertisement", detail)
        self._who.setdefault(ad.topic, []).append(name)
        self._values.setdefault(ad.topic, []).append(values)

    def traffic(self) -> Traffic:
        """Return all added events; raise Refused if one is outside the dz of its advertisement."""
        return Traffic({name: self._read(name) for name in self._topics if name in self._who})

    def _filter(self, ad: Registration, topic: Topic) -> Filter | None:
        if ad.filter is None:
            return None
        found = self._filters.get(ad.id)
        if found is None:
            found = self._filters[ad.id] = Filter.parse(ad.filter, topic, ("filter",))
        return found

    def _read(self, name: str) -> TopicTraffic:
        topic, who = self._topics[name], self._who[name]
        index = {ad: i for i, ad in enumerate(dict.fromkeys(who))}
        ads = tuple(self._live[ad] for ad in index)
        columns = tuple(event_indexes(topic, self._values[name]))
        cells = event_dz_batch(topic, self._values[name], self._depth)
        numbers = np.array([index[ad] for ad in who], dtype=np.int64)
        counts = np.bincount(numbers, minlength=len(ads)).astype(np.float64)
        part = TopicTraffic(topic, self._depth, ads, numbers, columns, cells, np.ones(len(who)), counts)
        _check_inside(part)
        return part


def read_traffic(planner: Planner, events: Iterable[object]) -> Traffic:
    """Read the traffic of events from JSON; raise Refused with the number of an invalid event."""
    reader = TrafficReader(planner)
    for i, event in enumerate(events):
        try:
            reader.take(event)
        except Refused as refused:
            raise refused.under(i) from None
        except RefusedMany as many:
            raise many.errors[0].under(i) from None
    return reader.traffic()


def _check_inside(part: TopicTraffic) -> None:
    inside = part.inside_advertisements()
    if not inside.all():
        i = int(np.flatnonzero(~inside)[0])
        detail = f"the event is outside the dz of advertisement {shown(part.ads[part.who[i]].id)}"
        raise Refused((i, "values"), "outside_advertisement", detail)
