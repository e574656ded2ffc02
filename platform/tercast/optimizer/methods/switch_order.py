"""The order in which switches are decided."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.traffic.event_flows import EventSource
from tercast.optimizer.traffic.publisher_loads import PublisherLoad


def from_publishers(upstream: Mapping[int, int], switches: Sequence[int], seed: int) -> list[int]:
    """Order switches from publishers to subscribers (Bhowmik et al., section 5.3).

    A switch follows all switches upstream of it. If some wait for each other, one of those with the fewest
    before it is drawn at random.
    """
    draw = random.Random(seed)
    waiting = dict.fromkeys(switches)
    left = sum(1 << s for s in waiting)
    order: list[int] = []
    while waiting:
        before = {s: (upstream[s] & left & ~(1 << s)).bit_count() for s in waiting}
        fewest = min(before.values())
        ready = [s for s in waiting if before[s] == fewest]
        for s in ready if fewest == 0 else [draw.choice(ready)]:
            order.append(s)
            del waiting[s]
            left &= ~(1 << s)
    return order


def by_distance(
    arrays: NetworkArrays, sources: Sequence[EventSource], weights: Sequence[float], switches: Sequence[int]
) -> list[int]:
    """Order by the mean number of links that events have passed, weighted by events."""
    far, total = np.zeros(len(arrays.names)), np.zeros(len(arrays.names))
    for source, weight in zip(sources, weights, strict=True):
        for at, steps in _steps(arrays, source.switch, source.came).items():
            far[at] += weight * steps
            total[at] += weight
    mean = np.where(total > 0, far / np.maximum(total, 1e-300), np.inf)
    return sorted(switches, key=lambda s: (float(mean[s]), s))


def upstream_of(
    arrays: NetworkArrays, sources: Iterable[EventSource | PublisherLoad], switches: Sequence[int]
) -> dict[int, int]:
    """Return, for each switch, the set (as bits) of `switches` on the paths of sources to it."""
    among = set(switches)
    out = dict.fromkeys(switches, 0)
    done: set[tuple[int, int]] = set()
    for source in sources:
        key = (source.switch, id(source.came))
        if key in done:
            continue
        done.add(key)
        passed = {source.switch: 1 << source.switch if source.switch in among else 0}
        for at in _steps(arrays, source.switch, source.came):
            if at != source.switch:
                over = int(arrays.wires.source[source.came[at]])
                passed[at] = passed[over] | (1 << at if at in among else 0)
            if at in among:
                out[at] |= passed[at]
    return out


def _steps(arrays: NetworkArrays, start: int, came: Array) -> dict[int, int]:
    """Return the switches that are reached from one, in order, with their distance in links."""
    below: dict[int, list[int]] = {}
    for at in np.flatnonzero(came >= 0).tolist():
        below.setdefault(int(arrays.wires.source[came[at]]), []).append(at)
    steps = {start: 0}
    waiting = [start]
    for at in waiting:
        for far in below.get(at, ()):
            steps[far] = steps[at] + 1
            waiting.append(far)
    return steps
