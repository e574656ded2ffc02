"""Choice of a learned event space: how many cuts, and which attributes to halve below them.

Cuts are learned from half of the events, and several numbers of cuts are judged by the other half. The fewest
cuts that are nearly as good as the best number are learned again, from all events.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tercast.dimensions.learned import Learner
from tercast.dimensions.measured_cost import Cost, Measure
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic

SIZES = (16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096)
"""Numbers of cuts that are compared."""

NEAR = 0.02
"""Share of the current deliveries that may be unwanted in exchange for fewer cuts."""

JUDGED = 100
"""Maximum number of subscriptions in comparisons."""


def learned_space(workload: Workload, depth: int, limit: int, max_cuts: int) -> Topic:
    """The topic in the event space that suits past events and live filters best.

    Args:
        workload: The topic, its subscriptions, and at least two events.
        depth: The length of a full-depth dz in bits.
        limit: The maximum number of cells of a filter.
        max_cuts: The maximum number of cuts.
    """
    learning, judging = workload.halves()
    step = -(-len(judging.subscriptions) // JUDGED)
    judge = Measure(replace(judging, subscriptions=judging.subscriptions[::step]), depth, limit)
    learner = Learner(learning)
    found: list[tuple[Cost, int]] = []
    for size in _sizes(max_cuts):
        grows = learner.grow(size)
        space = workload.topic.with_cuts(learner.nodes())
        found.append((judge.of_topic(space)[0], learner.cuts))
        if not grows or _has_settled(found):
            break
    cuts = _smallest(found)
    learner = Learner(workload)
    learner.grow(cuts)
    space = workload.topic.with_cuts(learner.nodes())
    return min(_halved(space), key=lambda one: _weight(judge.of_topic(one)[0]))


def _sizes(max_cuts: int) -> Sequence[int]:
    return [size for size in SIZES if size < max_cuts] + [max_cuts]


def _has_settled(found: Sequence[tuple[Cost, int]]) -> bool:
    """Whether the last cost is 0, or the last two numbers of cuts have not made it better."""
    costs = [cost.unwanted for cost, _ in found]
    return costs[-1] == 0 or (len(costs) > 2 and min(costs[-2:]) >= costs[-3])


def _smallest(found: Sequence[tuple[Cost, int]]) -> int:
    """The fewest cuts whose cost is near that of the best number of cuts."""
    best = min(cost.unwanted for cost, _ in found)
    return next(
        cuts for cost, cuts in found if cost.unwanted <= best + NEAR * (cost.delivered - cost.unwanted)
    )


def _halved(space: Topic) -> Iterable[Topic]:
    """The space with other attributes halved below the cuts: as they are, or a single one."""
    yield space
    for attribute in space.attributes:
        yield space.with_indexed([attribute.name])


def _weight(cost: Cost) -> tuple[int, int]:
    return cost.unwanted, cost.cells
