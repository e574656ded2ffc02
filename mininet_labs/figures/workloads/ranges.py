"""Subscriptions to ranges of all attributes, and events, uniform or around hot spots."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter


@dataclass(frozen=True, slots=True)
class RangeTraffic:
    """Parameters of the generator; all attributes have the values 0 to `highest`.

    A filter has a range in every attribute. Its width is uniform within `widths`, given as shares of the
    domain. With `exponent` None, centres and events are uniform. Otherwise, they are normal around one of
    `spots` hot spots, with a standard deviation of `deviation` of the domain. The probability of hot spot k
    is proportional to k to the power of -`exponent`.
    """

    attributes: int
    highest: int
    widths: tuple[float, float]
    spots: int
    exponent: float | None
    deviation: float = 0.05
    code: int = 2

    def with_exponent(self, exponent: float | None) -> RangeTraffic:
        """Return the parameters with another distribution."""
        return replace(self, exponent=exponent)

    def topic(self) -> Topic:
        """Return the topic `t`, whose attributes are all indexed."""
        names = (f"x{number}" for number in range(self.attributes))
        rows = [{"name": name, "type": "int", "min": 0, "max": self.highest} for name in names]
        return Topic.from_json({"name": "t", "code": self.code, "attributes": rows})

    def workload(self, seed: int, hosts: list[str], subscriptions: int, events: int) -> Workload:
        """Return subscriptions at random hosts, and events.

        A smaller number of subscriptions or events with the same seed gives the first ones of a larger.
        """
        topic = self.topic()
        draw = RangeDraw(self, seed)
        places = random.Random(f"places {seed}")
        filters = (Filter.parse(draw.filter_text(), topic) for _ in range(subscriptions))
        placed = tuple((places.choice(hosts), filter_) for filter_ in filters)
        return Workload(topic, placed, tuple(draw.event() for _ in range(events)))


class RangeDraw:
    """Draws filters and events; both have random numbers of their own."""

    def __init__(self, traffic: RangeTraffic, seed: int) -> None:
        self._traffic = traffic
        self._filters = random.Random(f"filters {seed}")
        self._events = random.Random(f"events {seed}")
        spots = random.Random(f"spots {seed}")
        self._spots = [
            [spots.randint(0, traffic.highest) for _ in range(traffic.attributes)]
            for _ in range(traffic.spots)
        ]
        exponent = traffic.exponent or 0.0
        self._weights = [rank**-exponent for rank in range(1, traffic.spots + 1)]

    def filter_text(self) -> str:
        """Draw the text of a filter."""
        rng, traffic = self._filters, self._traffic
        tests = []
        for number, centre in enumerate(self._point(rng)):
            width = round(rng.uniform(*traffic.widths) * traffic.highest)
            low = max(0, centre - width // 2)
            high = min(traffic.highest, low + width)
            tests.append(f"x{number} in [{low}, {high}]")
        return " and ".join(tests)

    def event(self) -> Mapping[str, Any]:
        """Draw the values of an event."""
        return {f"x{number}": value for number, value in enumerate(self._point(self._events))}

    def _point(self, rng: random.Random) -> list[int]:
        highest = self._traffic.highest
        if self._traffic.exponent is None:
            return [rng.randint(0, highest) for _ in range(self._traffic.attributes)]
        (spot,) = rng.choices(self._spots, self._weights)
        deviation = self._traffic.deviation * highest
        return [min(highest, max(0, round(rng.gauss(centre, deviation)))) for centre in spot]


def first_subscriptions(workload: Workload, number: int) -> Workload:
    """Return the workload with its first subscriptions only."""
    return replace(workload, subscriptions=tuple(islice(workload.subscriptions, number)))
