"""False positives with the first k attributes of PLEROMA's ranking, and with other choices."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mininet_labs.figures.figure import Size
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.synthetic import DOMAIN, Filters
from tercast.dimensions.greedy import greedy
from tercast.dimensions.learned_space import learned_space
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.spectral import spectral
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

ATTRIBUTES, HOSTS, CELLS = 7, 200, 50
HELD = {"free": (), "three limited": (0, 2, 4), "five limited": (0, 1, 2, 4, 5)}
"""Attributes in which events are limited to a sixty-fourth of the domain."""

TESTED = 3
"""Number of attributes that a filter tests."""

LEARNED_CUTS = 256
CHOICES = "choices"
"""Group of the rows of complete choices; their `x` is the number of limited attributes."""

ALL, SPECTRAL, GREEDY, LEARNED = "all attributes", "spectral", "greedy", "learned space"


def limited_workload(held: tuple[int, ...], seed: int, subscriptions: int, events: int) -> Workload:
    """Return Zipf subscriptions over all attributes, and events around the same hot spots.

    Attributes early in the topic are tested less often than later ones.
    """
    rng = random.Random(seed)
    rows = [{"name": f"x{n}", "type": "int", "min": 0, "max": DOMAIN - 1} for n in range(ATTRIBUTES)]
    topic = Topic.from_json({"name": "t", "code": 2, "attributes": rows})
    filters = Filters("zipf", ATTRIBUTES, seed)
    drawn = (Filter.parse(_some(filters.draw(), rng), topic) for _ in range(subscriptions))
    own = tuple((f"h{rng.randrange(HOSTS)}", filter_) for filter_ in drawn)
    return Workload(topic, own, tuple(_event(filters, held, rng) for _ in range(events)))


def _some(text: str, rng: random.Random) -> str:
    tests = text.split(" and ")
    chosen: set[int] = set()
    while len(chosen) < TESTED:
        chosen.update(rng.choices(range(ATTRIBUTES), range(1, ATTRIBUTES + 1)))
    return " and ".join(tests[number] for number in sorted(chosen))


def _event(filters: Filters, held: tuple[int, ...], rng: random.Random) -> dict[str, int]:
    (spot,) = rng.choices(filters.spots, filters.weights)
    values = {}
    for number, centre in enumerate(spot):
        value = int(rng.gauss(centre, 120))
        if number in held:
            value = filters.spots[0][number] + rng.randrange(DOMAIN // 64)
        values[f"x{number}"] = min(max(0, value), DOMAIN - 1)
    return values


@dataclass(frozen=True, slots=True)
class SelectionScale:
    """Sizes of the experiment; half of the events are for the choices, half for the evaluation."""

    subscriptions: int
    events: int
    depth: int


@dataclass(frozen=True, slots=True)
class SelectionExperiment:
    """False positives with fewer and fewer attributes, for three workloads."""

    scales: Mapping[Size, SelectionScale]

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        scale = self.scales[size]
        for name, held in HELD.items():
            workload = limited_workload(held, seed, scale.subscriptions, scale.events)
            yield from _of_workload(name, len(held), workload, scale.depth)


def _of_workload(name: str, held: int, workload: Workload, depth: int) -> Iterator[Row]:
    seen, unseen = workload.halves()
    judge = Measure(unseen, depth, CELLS)
    spectrum = spectral(seen)
    for number in range(1, ATTRIBUTES + 1):
        cost = judge.of(spectrum.ranking[:number])
        yield {"x": number, "series": name, "fpr": round(cost.fpr, 4)}
    by_greedy = greedy(Measure(seen, depth, CELLS)).selected
    topics = {
        ALL: seen.topic,
        SPECTRAL: seen.topic.with_indexed(spectrum.selected),
        GREEDY: seen.topic.with_indexed(by_greedy),
        LEARNED: learned_space(seen, depth, CELLS, LEARNED_CUTS),
    }
    for choice, topic in topics.items():
        row = {"x": held, "series": choice, "group": CHOICES, "attributes": len(topic.indexed)}
        yield {**row, "fpr": round(judge.of_topic(topic)[0].fpr, 4)}
