"""Measure the false positives and cells of event spaces, method by method; print JSON.

Half of the events are for the choice of spaces, and the other half for their evaluation. Cases:

- demo: the subscriptions and quotes of the demo
- quotes: random filters around real quotes; the package bokeh_sampledata contains the quotes
- sea: random filters around real temperatures of the sea, from the same package
- zipf 16, zipf 50: 300 narrow filters in five attributes around hot spots; 16 and 50 cells a filter
- unseen 16, unseen 50: spaces chosen for one half of these filters, measured on the other half

`ipv4` has the same cases with dz of 23 bits. `budgets` has the copies that aggregation adds if tables may
hold a quarter of the entries that they have without cuts. `bound` compares learned trees of small event
spaces with the best trees of the same size.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench_machine import describe, write_result
from bench_options import of_space
from space_bound import compared
from space_budgets import added, with_budgets

from mininet_labs.demo.content import SUBSCRIBERS, SYMBOLS, TOPIC, replay
from mininet_labs.figures.workloads.synthetic import DOMAIN, Filters, topic
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.proposal import METHODS, spaces_of
from tercast.dimensions.spectral import spectral
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

DEPTH = 96
DEPTH_IPV4 = 23
BUDGETS = ("demo", "quotes", "sea", "zipf 16")
QUOTES = ("symbol", "open", "high", "low", "close", "volume")
SEA = {
    "name": "sea",
    "code": 2,
    "attributes": [
        {"name": "month", "type": "int", "min": 1, "max": 12},
        {"name": "hour", "type": "int", "min": 0, "max": 23},
        {"name": "celsius", "type": "float", "min": -5.0, "max": 40.0},
    ],
}


def demo(seed: int, size: int) -> Workload:
    """Return the demo's subscriptions and quotes."""
    space = Topic.from_json({**TOPIC, "code": 2})
    own = tuple(
        (f"h{place}", Filter.parse(text, space)) for place, texts in SUBSCRIBERS.values() for text in texts
    )
    return Workload(space, own, _shuffled(_quotes(size), seed))


def quotes(seed: int, size: int) -> Workload:
    """Return filters around real quotes: a company or not, and one or two ranges."""
    rng = random.Random(seed)
    space = Topic.from_json({**TOPIC, "code": 2})
    events = _shuffled(_quotes(size), seed)
    own = []
    for number in range(150):
        near = rng.choice(events)
        tests = [f'symbol = "{near["symbol"]}"'] if rng.random() < 0.6 else []
        for name in rng.sample(QUOTES[1:], rng.randint(1, 2)):
            tests.append(_around(name, near[name], near[name] * rng.uniform(0.02, 0.2)))
        own.append((f"h{number % 50}", Filter.parse(" and ".join(tests), space)))
    return Workload(space, tuple(own), events)


def sea(seed: int, size: int) -> Workload:
    """Return filters around real temperatures of the sea."""
    from bokeh_sampledata import sea_surface_temperature as data  # noqa: PLC0415 - the import reads its data

    rng = random.Random(seed)
    space = Topic.from_json(SEA)
    rows = data.sea_surface_temperature["temperature"].items()
    every = [
        {"month": at.month, "hour": at.hour, "celsius": float(value)} for at, value in rows if value == value
    ]
    events = tuple(rng.sample(every, min(size, len(every))))
    own = []
    for number in range(150):
        near = rng.choice(events)
        tests = [_around("celsius", near["celsius"], rng.uniform(0.2, 2))]
        if rng.random() < 0.5:
            tests.append(_around("hour", near["hour"], rng.randint(1, 4)))
        if rng.random() < 0.5:
            tests.append(f"month = {near['month']}")
        own.append((f"h{number % 50}", Filter.parse(" and ".join(tests), space)))
    return Workload(space, tuple(own), events)


def zipf(seed: int, size: int) -> Workload:
    """Return 300 filters in five attributes around hot spots, and events around the same spots."""
    filters, rng = Filters("zipf", 5, seed), random.Random(seed)
    space = Topic.from_json(topic(5))
    own = tuple((f"h{number}", Filter.parse(filters.draw(), space)) for number in range(300))
    return Workload(space, own, tuple(_spot_event(filters, rng) for _ in range(size)))


def _spot_event(filters: Filters, rng: random.Random) -> dict[str, int]:
    (spot,) = rng.choices(filters.spots, filters.weights)
    return {
        f"x{number}": min(max(0, int(rng.gauss(centre, 60))), DOMAIN - 1)
        for number, centre in enumerate(spot)
    }


def _around(name: str, centre: float, width: float) -> str:
    return f"{name} in [{round(centre - width / 2, 2)}, {round(centre + width / 2, 2)}]"


def _quotes(size: int) -> list[dict[str, Any]]:
    return [event for symbol in SYMBOLS for event in islice(replay(symbol), -(-size // len(SYMBOLS)))]


def _shuffled(events: list[dict[str, Any]], seed: int) -> tuple[dict[str, Any], ...]:
    random.Random(seed).shuffle(events)
    return tuple(events)


CASES = {
    "demo": (demo, 50, False),
    "quotes": (quotes, 50, False),
    "sea": (sea, 50, False),
    "zipf 16": (zipf, 16, False),
    "zipf 50": (zipf, 50, False),
    "unseen 16": (zipf, 16, True),
    "unseen 50": (zipf, 50, True),
}
"""By name: the workload, the maximum number of cells of a filter, and whether other filters evaluate."""


def measured(name: str, seed: int, events: int, cuts: int, depth: int = DEPTH) -> dict[str, dict[str, float]]:
    """Measure all methods on one workload, with dz of `depth` bits.

    Returns:
        By method: false positives, share of deliveries that are false positives (%), cells, cuts, and seconds
        of the choice of all spaces.
    """
    make, limit, other = CASES[name]
    seen, unseen = make(seed, events).halves()
    if other:
        half = len(seen.subscriptions) // 2
        seen = replace(seen, subscriptions=seen.subscriptions[:half])
        unseen = replace(unseen, subscriptions=unseen.subscriptions[half:])
    begin = time.process_time()
    spaces = spaces_of(seen, spectral(seen), depth, limit, cuts)
    seconds = time.process_time() - begin
    judge = Measure(unseen, depth, limit)
    found = {}
    for method in METHODS:
        cost = judge.of_topic(spaces[method])[0]
        found[method] = {"unwanted": cost.unwanted, "fpr": cost.fpr, "cells": cost.cells, "cuts": cost.cuts}
    return {**found, "all methods": {"seconds": seconds}}


def budgets(name: str, seed: int, events: int, cuts: int) -> dict[str, Any]:
    """Compare current and learned space of one workload under budgets."""
    make, limit, _ = CASES[name]
    workload = make(seed, events)
    seen, _ = workload.halves()
    spaces = spaces_of(seen, spectral(seen), DEPTH, limit, cuts)
    return with_budgets(workload, {way: spaces[way] for way in ("current", "learned")}, limit, DEPTH)


def summary(runs: Sequence[dict[str, dict[str, float]]]) -> dict[str, Any]:
    """Return means over the seeds, and the ratio of `learned` to each other method in sums."""
    out: dict[str, Any] = {
        method: {key: round(statistics.mean(run[method][key] for run in runs), 2) for key in runs[0][method]}
        for method in runs[0]
    }
    learned = sum(run["learned"]["unwanted"] for run in runs)
    for method in METHODS[:-1]:
        total = sum(run[method]["unwanted"] for run in runs)
        out[method]["learned_ratio"] = round(learned / total, 3) if total else None
    return out


def main() -> None:
    """Run the cases and print the JSON."""
    args = of_space().parse_args()
    seeds, events = ((1, 2), 1_000) if args.quick else ((1, 2, 3, 4, 5), args.events)
    names = args.only or list(CASES)
    parts: dict[str, dict[str, Any]] = {"cases": {}, "ipv4": {}, "budgets": {}}
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        for part, depth in (("cases", DEPTH), ("ipv4", DEPTH_IPV4)):
            runs = [measured(name, seed, events, args.cuts, depth) for seed in seeds]
            parts[part][name] = summary(runs)
        if name in BUDGETS:
            parts["budgets"][name] = added([budgets(name, seed, events, args.cuts) for seed in seeds])
    shape = {"seeds": len(seeds), "events": events, "max_cuts": args.cuts, "depth": DEPTH}
    shape["depth_ipv4"] = DEPTH_IPV4
    result = {"benchmark": "space", "machine": describe(), **shape, **parts, "bound": compared(seeds)}
    write_result(result, args.output)


if __name__ == "__main__":
    main()
