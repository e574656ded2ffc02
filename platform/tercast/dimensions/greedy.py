"""Greedy choice of attributes: repeatedly add the one that avoids most false positives."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.dimensions.measured_cost import Cost, Measure

GAIN = 0.02
"""Share of false positives that an added attribute must avoid, since it takes bits."""


@dataclass(frozen=True, slots=True)
class Greedy:
    """The chosen attributes, and the cost after each step."""

    selected: tuple[str, ...]
    steps: tuple[Cost, ...]


def greedy(measure: Measure, gain: float = GAIN) -> Greedy:
    """Add attributes while one avoids at least `gain` of the remaining false positives.

    At least one attribute is chosen. Of attributes with the same result, the one with fewer cells is added,
    or else the first one in the topic. After each addition, attributes whose removal costs nothing are
    removed, because a later attribute may make an earlier one redundant.
    """
    names = [attribute.name for attribute in measure.workload.topic.attributes]
    best = min((measure.of([name]) for name in names), key=_weight)
    steps = [best]
    while best.unwanted and len(best.indexed) < len(names):
        others = [name for name in names if name not in best.indexed]
        wider = min((measure.of((*best.indexed, name)) for name in others), key=_weight)
        if best.unwanted - wider.unwanted < max(1.0, gain * best.unwanted):
            break
        best = _pruned(measure, wider)
        steps.append(best)
    return Greedy(best.indexed, tuple(steps))


def _pruned(measure: Measure, cost: Cost) -> Cost:
    """Remove the attributes that avoid no false positives."""
    while len(cost.indexed) > 1:
        fewer = [measure.of(other for other in cost.indexed if other != name) for name in cost.indexed]
        least = min(fewer, key=_weight)
        if least.unwanted > cost.unwanted:
            return cost
        cost = least
    return cost


def _weight(cost: Cost) -> tuple[int, int]:
    return cost.unwanted, cost.cells
