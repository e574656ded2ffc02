"""Choice of a learned event space: how many cuts, and which attributes to halve below them.

Cuts are learned from half of the events, and several numbers of cuts are compared with the other half. The
fewest cuts that are nearly as good as the best number are learned again, from all events.

Tomorrow's events differ from the past ones. So events with changed values are added: values at which filters
begin or end.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tercast.dimensions.learned import BoundAxis, Learner
from tercast.dimensions.measured_cost import Cost, Measure
from tercast.dimensions.workload import Workload
from tercast.eventspace.topic import Topic

SIZES = (16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096)
"""Numbers of cuts that are compared."""

NEAR = 0.005
"""Additional false positives that are accepted for fewer cuts, as a share of expected deliveries."""

CHANGED = 4
"""An event with changed values is added for each `CHANGED` events, but at least `FEWEST` are."""

FEWEST = 1_000

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
    workload = _with_changed(workload)
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


def _with_changed(workload: Workload) -> Workload:
    """Add events with changed values, in a random order that is always the same."""
    draw = random.Random(1)
    filters = [filter_ for _, filter_ in workload.subscriptions]
    axes = [BoundAxis(row, i, filters) for i, row in enumerate(workload.topic.attributes)]
    bounds = {
        axis.attribute.name: [axis.value(step + 1) for step in range(len(axis.places))] for axis in axes
    }
    names = [name for name, values in bounds.items() if values]
    if not names:
        return workload
    changed = []
    for _ in range(max(FEWEST, len(workload.events) // CHANGED)):
        some = draw.sample(names, draw.randint(1, len(names)))
        changed.append({**draw.choice(workload.events), **{name: draw.choice(bounds[name]) for name in some}})
    events = [*workload.events, *changed]
    draw.shuffle(events)
    return replace(workload, events=tuple(events))


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
