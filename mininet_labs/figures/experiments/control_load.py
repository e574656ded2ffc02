"""Requests that controllers receive if neighbours forward them (PLEROMA, section 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random

from mininet_labs.figures.figure import Size
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.partitioned import (
    CELLS,
    FAT_TREE,
    MAX_DZ_LENGTH,
    PUBLISHERS,
    RING,
    TOPIC,
    WIDEST,
    PartitionedNetwork,
    range_filters,
)
from tercast.encoding.encoder import encode
from tercast.eventspace.topic import Topic
from tercast.federation.world.request_forwarding import RequestForwarding
from tercast.filters.filter import Filter

NETWORKS = (RING, FAT_TREE)
EVERYTHING = (1,)
"""The dz set of an advertisement of the whole event space."""

VARIANTS = "second values"
"""Group of the rows with a second value of a parameter. The other rows have the network as their group."""

SECOND_WIDEST = 900
SECOND_PUBLISHERS = 8


@dataclass(frozen=True, slots=True)
class ControlLoadScale:
    """Sizes of the experiment."""

    controllers: tuple[int, ...]
    subscriptions: tuple[int, ...]

    def points(self) -> Iterator[tuple[int, int]]:
        """Yield each number of subscriptions with each number of controllers."""
        return product(self.subscriptions, self.controllers)


@dataclass(frozen=True, slots=True)
class ControlLoadExperiment:
    """Requests received by a controller, and by all, relative to those of a single controller."""

    scales: Mapping[Size, ControlLoadScale]

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        scale = self.scales[size]
        for network in NETWORKS:
            for number, controllers in scale.points():
                run = forward_requests(network, controllers, number, seed)
                row = {"x": controllers, "series": series(network, number), "group": network.name}
                yield {**row, **_loads(run, PUBLISHERS + number)}
        for number, controllers in scale.points():
            run = forward_requests(RING, controllers, number, seed, widest=SECOND_WIDEST)
            name = f"{series(RING, number)}, widths to {SECOND_WIDEST}"
            yield {"x": controllers, "series": name, "group": VARIANTS, **_loads(run, PUBLISHERS + number)}
        for number, controllers in scale.points():
            run = forward_requests(RING, controllers, number, seed, publishers=SECOND_PUBLISHERS)
            name = f"{series(RING, number)}, {SECOND_PUBLISHERS} publishers"
            loads = _loads(run, SECOND_PUBLISHERS + number)
            yield {"x": controllers, "series": name, "group": VARIANTS, **loads}


def series(network: PartitionedNetwork, subscriptions: int) -> str:
    """Return the name of a series."""
    return f"{network.name}, {subscriptions}"


def forward_requests(
    network: PartitionedNetwork,
    partitions: int,
    subscriptions: int,
    seed: int,
    *,
    widest: int = WIDEST,
    publishers: int = PUBLISHERS,
) -> RequestForwarding:
    """Forward the requests of one run over a tree of the partitions."""
    random = Random(seed)
    owners = network.owners(partitions)
    run = RequestForwarding(list(network.partitions(partitions)), network.tree(partitions))
    topic = Topic.from_json(TOPIC)
    for _ in range(publishers):
        run.advertise(owners[random.choice(network.homes)], EVERYTHING)
    for text in range_filters(random, subscriptions, widest):
        cells = encode(Filter.parse(text, topic), MAX_DZ_LENGTH, CELLS).dz
        run.subscribe(owners[random.choice(network.homes)], cells)
    return run


def _loads(run: RequestForwarding, requests: int) -> Row:
    total = sum(run.received.values())
    return {
        "received": round(total / len(run.partitions) / requests, 4),
        "total": round(total / requests, 4),
    }
