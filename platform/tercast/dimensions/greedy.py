"""The choice of attributes by what is measured: one more at a time, the one that spares the most."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.dimensions.measured_cost import Cost, Measure

GAIN = 0.02
"""The share of unwanted deliveries that one more attribute must spare; each costs bits of all the others."""


@dataclass(frozen=True, slots=True)
class Greedy:
    """The choice, and the cost after each step on the way there."""

    selected: tuple[str, ...]
    steps: tuple[Cost, ...]


def greedy(measure: Measure, gain: float = GAIN) -> Greedy:
    """Add attributes while one spares at least `gain` of what is unwanted still; at least one is chosen.

    Of equals the one with fewer cells is taken, then the earlier one of the topic. After each addition,
    attributes whose removal costs nothing go again: a later one may say what an earlier one said.
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
    """Without the attributes that spare nothing."""
    while len(cost.indexed) > 1:
        fewer = [measure.of(other for other in cost.indexed if other != name) for name in cost.indexed]
        least = min(fewer, key=_weight)
        if least.unwanted > cost.unwanted:
            return cost
        cost = least
    return cost


def _weight(cost: Cost) -> tuple[int, int]:
    return cost.unwanted, cost.cells
