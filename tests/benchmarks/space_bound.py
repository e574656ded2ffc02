"""Learned cut trees next to the best trees of the same size, by brute force over a small event space."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.dimensions.learned import Learner
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

SIDE = 8
"""Number of values of each of the two attributes."""

LEAVES = (2, 4, 8, 16)
FILTERS = (10, 40)
EVENTS = 200

_Costs = npt.NDArray[np.int64]
_SPACE = {
    "name": "t",
    "code": 1,
    "attributes": [{"name": name, "type": "int", "min": 0, "max": SIDE - 1} for name in "xy"],
}


def small(seed: int, filters: int) -> Workload:
    """Return a workload of two attributes: narrow filters and events around four hot spots."""
    rng = random.Random(f"bound {seed} {filters}")
    topic = Topic.from_json(_SPACE)
    spots = [(rng.randrange(SIDE), rng.randrange(SIDE)) for _ in range(4)]

    def near() -> list[int]:
        return [min(max(0, round(rng.gauss(centre, 1.5))), SIDE - 1) for centre in rng.choice(spots)]

    own = []
    for number in range(filters):
        tests = []
        for name, centre in zip("xy", near(), strict=True):
            width = rng.randrange(3)
            tests.append(f"{name} in [{max(0, centre - width)}, {min(SIDE - 1, centre + width)}]")
        own.append((f"h{number}", Filter.parse(" and ".join(tests), topic)))
    return Workload(topic, tuple(own), tuple(dict(zip("xy", near(), strict=True)) for _ in range(EVENTS)))


def fewest_false_positives(workload: Workload, leaves: int) -> list[int]:
    """Return the fewest false positives of any cut tree, for each number of leaves from 1 to `leaves`.

    A rectangle of the event space is one leaf, or is divided by the best of all cuts.
    """
    events = np.zeros((SIDE, SIDE), np.int64)
    for event in workload.events:
        events[event["x"], event["y"]] += 1
    boxes = [_box(filter_) for _, filter_ in workload.subscriptions]

    def leaf(left: int, right: int, low: int, high: int) -> int:
        there = [box for box in boxes if box[0] < right and box[1] > left and box[2] < high and box[3] > low]
        here = events[left:right, low:high]
        wanted = sum(
            int(events[max(a, left) : min(b, right), max(c, low) : min(d, high)].sum())
            for a, b, c, d in there
        )
        return int(here.sum()) * len(there) - wanted

    @cache
    def costs(left: int, right: int, low: int, high: int) -> tuple[int, ...]:
        found = np.full(leaves, leaf(left, right, low, high), np.int64)
        halves = [((left, cut, low, high), (cut, right, low, high)) for cut in range(left + 1, right)]
        halves += [((left, right, low, cut), (left, right, cut, high)) for cut in range(low + 1, high)]
        for first, second in halves:
            one, other = costs(*first), costs(*second)
            for mine in range(leaves - 1):  # `mine + 1` leaves on one side, the others on the other side
                rest = np.array(other[: leaves - 1 - mine])
                np.minimum(found[mine + 1 :], one[mine] + rest, out=found[mine + 1 :])
        return tuple(found.tolist())

    return list(costs(0, SIDE, 0, SIDE))


def _box(filter_: Filter) -> tuple[int, int, int, int]:
    """Return the first x, the x after the last one, and the same for y."""
    ((x, y),) = [[dict(term)[0][0], dict(term)[1][0]] for term in filter_.terms]
    return x[0], x[1], y[0], y[1]


def false_positives(workload: Workload, nodes: list[object]) -> int:
    """Return the false positives of a cut tree whose leaves are not divided further."""
    space = workload.topic.with_cuts(nodes)
    tree = space.cut_space(64)
    where = [tree.branch_of(space.event_dz(event, 64))[0] for event in workload.events]
    total = 0
    for _, filter_ in workload.subscriptions:
        left, right, low, high = _box(filter_)
        for event, branch in zip(workload.events, where, strict=True):
            (a, b), (c, d) = branch.region
            meets = left < b and right > a and low < d and high > c
            total += meets and not filter_.matches(event)
    return total


def learned_false_positives(workload: Workload, leaves: int) -> int:
    """Return the false positives of the learned tree with so many leaves."""
    learner = Learner(workload)
    learner.grow(leaves - 1)
    return false_positives(workload, learner.nodes())


def compared(seeds: Sequence[int]) -> dict[str, Any]:
    """Return the false positives of learned and of best trees, by number of filters and leaves."""
    out: dict[str, Any] = {}
    for filters in FILTERS:
        pairs: dict[int, list[tuple[int, int]]] = {leaves: [] for leaves in LEAVES}
        for seed in seeds:
            workload = small(seed, filters)
            best = fewest_false_positives(workload, max(LEAVES))
            for leaves in LEAVES:
                mine, least = learned_false_positives(workload, leaves), best[leaves - 1]
                assert mine >= least, (filters, seed, leaves, mine, least)
                pairs[leaves].append((mine, least))
        out[f"{filters} filters"] = {
            f"{leaves} leaves": {
                "learned": sum(mine for mine, _ in found),
                "best": sum(least for _, least in found),
            }
            for leaves, found in pairs.items()
        }
    return out
