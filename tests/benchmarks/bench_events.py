"""Addresses of events: one event at a time, like a client, and many together."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter
from typing import Any

from bench_child import in_child, log
from bench_extent import DEPTH, Extent

from mininet_labs.figures.workloads.synthetic import DOMAIN, topic
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Topic

RUNS = 5
CASES = ((2, 0), (5, 0), (10, 0), (5, 1_024))
"""Numbers of attributes and of cuts."""


def measure(extent: Extent) -> list[dict[str, Any]]:
    """Return a row for each case."""
    rows = [in_child(measure_case, *case, extent) for case in CASES]
    for row in rows:
        log(
            f"events: {row['attributes']} attributes, {row['cuts']} cuts: {row['event_to_address_us']} us, "
            f"{row['batch_events_per_s']} dz/s in batches, {row['single_events_per_s']} one by one"
        )
    return rows


def measure_case(attributes: int, cuts: int, extent: Extent) -> dict[str, Any]:
    """Return the best of five runs of each."""
    rng, address = random.Random(attributes), AddressPlan.default("ipv6")
    known = with_random_cuts(Topic.from_json(topic(attributes)), cuts, rng)
    events = [{f"x{n}": rng.randrange(DOMAIN) for n in range(attributes)} for _ in range(extent.batch_events)]
    some = events[: extent.events]
    event_dz_batch(known, some, DEPTH)  # creates the look-up tables
    single = _best(lambda: [known.event_dz(event, DEPTH) for event in some])
    whole = _best(lambda: [address.event_address(2, known.event_dz(event, DEPTH)) for event in some])
    batch = _best(lambda: event_dz_batch(known, events, DEPTH))
    return {
        "attributes": attributes,
        "cuts": cuts,
        "event_to_address_us": round(whole / len(some) * 1e6, 2),
        "event_to_dz_us": round(single / len(some) * 1e6, 2),
        "single_events_per_s": round(len(some) / single),
        "batch": len(events),
        "batch_events_per_s": round(len(events) / batch),
        "batch_to_single": round(len(events) / batch / (len(some) / single), 1),
    }


def with_random_cuts(space: Topic, number: int, rng: random.Random) -> Topic:
    """Return the topic with a balanced tree of cuts near the middle of random attributes."""

    def nodes(wanted: int, sides: list[tuple[int, int]]) -> list[object]:
        a = rng.randrange(len(sides))
        low, high = sides[a]
        if not wanted or high - low < 8:
            return [1]
        cut = (low + high) // 2 + rng.randint(-1, 1)
        left, right = sides.copy(), sides.copy()
        left[a], right[a] = (low, cut), (cut, high)
        name = space.attributes[a].name
        return [[name, cut], *nodes((wanted - 1) // 2, left), *nodes(wanted // 2, right)]

    return space.with_cuts(nodes(number, [(0, DOMAIN)] * len(space.attributes))) if number else space


def _best(act: Callable[[], object]) -> float:
    """Return the seconds of the fastest of some runs."""
    found = []
    for _ in range(RUNS):
        start = perf_counter()
        act()
        found.append(perf_counter() - start)
    return min(found)
