"""`optimal`: several candidates, compared on a part of the sample that none of them has seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.evaluation.cost_model import HOST_WEIGHT, Decisions, Expected, cost_of_selections
from tercast.optimizer.methods.baselines import charged, lowest_merges
from tercast.optimizer.methods.exception_method import ROUNDS
from tercast.optimizer.methods.selection import EntrySelection, Selections
from tercast.optimizer.methods.sweeps import by_exceptions, pattern_based
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.smoothing import smoothed

HELD_BACK = 0.2
"""The share of a sample on which candidates are compared."""

Candidate = Callable[[NetworkArrays, Traffic, int], Selections]


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried, where exact tables beyond their budgets have no more than `entries` together.

    `sweeps` over all switches and `rounds` at each; `events` to learn from at most. `thorough`: wide
    smoothing is tried as well, and what is chosen is made again with the events held back among them.
    """

    entries: float
    sweeps: int
    rounds: int
    events: float
    thorough: bool


EFFORTS = (
    Effort(15_000, sweeps=4, rounds=ROUNDS, events=50_000, thorough=True),
    Effort(150_000, sweeps=2, rounds=3, events=20_000, thorough=False),
    Effort(math.inf, sweeps=1, rounds=2, events=20_000, thorough=False),
)


def effort_of(arrays: NetworkArrays) -> Effort:
    """How much is tried on a network."""
    entries = sum(map(arrays.count, arrays.over_budget()))
    return next(effort for effort in EFFORTS if entries <= effort.entries)


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How a sample is smoothed: see `traffic.smoothed`; copies are fewer where `points` would be exceeded."""

    copies: int
    weight: float
    spread: tuple[float, float]
    points: int

    def __call__(self, traffic: Traffic, seed: int) -> Traffic:
        """The smoothed sample."""
        copies = min(self.copies, max(1, self.points // max(1, len(traffic))))
        return smoothed(traffic, copies, self.weight, self.spread, seed)


NEAR = Smoothing(copies=16, weight=3.0, spread=(0.02, 0.04), points=50_000)
WIDE = Smoothing(copies=24, weight=10.0, spread=(0.05, 0.1), points=80_000)


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided, by which candidate, and what it is to cost.

    `forests` are what was decided on forests with the events that come there, where that is another thing.
    """

    selections: Decisions
    chosen: str
    expected: Expected
    forests: Mapping[int, EntrySelection | None] | None = None


def near(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """Exceptions, from a sample smoothed a little."""
    return _with_exceptions(arrays, NEAR(traffic, seed))


def wide(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """Exceptions, from a sample smoothed more: for events that spread over large parts of the space."""
    return _with_exceptions(arrays, WIDE(traffic, seed))


def _with_exceptions(arrays: NetworkArrays, traffic: Traffic) -> Selections:
    effort = effort_of(arrays)
    return by_exceptions(arrays, traffic, effort.sweeps, effort.rounds)


CANDIDATES: dict[str, Candidate] = {
    "exceptions": near,
    "exceptions-wide": wide,
    "la": lowest_merges,
    "fa-pb": pattern_based,
}

STANDING = "installed"
"""The candidate that changes nothing."""


def best_candidate(
    arrays: NetworkArrays, sample: Traffic, seed: int, installed: Decisions | None = None
) -> Decided:
    """The candidate that is best on events held back, made again with these among them.

    `fa-pb` only where it is better by more than chance would have it. With large tables less is tried (see
    `Effort`), and what was made without the events held back is kept. `installed` are the installed
    tables, if they hold the budgets; what a candidate leaves unmet stays as it is.
    """
    train, held = sample.split(HELD_BACK, seed)
    if not len(train) or not len(held) or not arrays.over_budget():
        found = near(arrays, sample, seed)
        return Decided(found, "exceptions", cost_of_selections(arrays, found, sample))
    effort = effort_of(arrays)
    train = _thinned(train, effort.events)
    names = [name for name in CANDIDATES if name != "exceptions-wide" or effort.thorough]
    made = {name: _filled(CANDIDATES[name](arrays, train, seed), installed) for name in names}
    if installed is not None:
        made[STANDING] = installed
    fewest = min(map(_unmet, made.values()))
    made = {name: found for name, found in made.items() if _unmet(found) == fewest}
    costs = {name: cost_of_selections(arrays, found, held) for name, found in made.items()}
    others = [name for name in made if name != "fa-pb"] or list(made)
    chosen = min(others, key=lambda name: costs[name].cost)
    if "fa-pb" in made and _is_clearly_less(costs["fa-pb"].cost, costs[chosen].cost, held.weight):
        chosen = "fa-pb"
    if chosen in (STANDING, "la"):
        forests = charged(arrays, made[chosen], sample, HOST_WEIGHT)
        return Decided(made[chosen], chosen, costs[chosen], forests)
    if not effort.thorough:
        return Decided(made[chosen], chosen, costs[chosen])
    again = CANDIDATES[chosen](arrays, _thinned(sample, effort.events), seed)
    return Decided(_filled(again, installed), chosen, costs[chosen])


def _thinned(traffic: Traffic, events: float) -> Traffic:
    """So many events at most, each for as many as are left out."""
    return traffic if len(traffic) <= events else traffic.sampled(events / len(traffic))


def _filled(found: Decisions, installed: Decisions | None) -> Decisions:
    """The same with the tables that stand, where a method finds none that hold the budget."""
    return {s: (installed or {}).get(s) if one is None else one for s, one in found.items()}


def _unmet(found: Decisions) -> int:
    """At how many switches the budget does not hold."""
    return sum(selection is None for selection in found.values())


def one_candidate(arrays: NetworkArrays, sample: Traffic, seed: int, name: str) -> Decided:
    """One candidate from all of a sample; what it is to cost is told by events held back from another run."""
    train, held = sample.split(HELD_BACK, seed)
    found = CANDIDATES[name](arrays, sample, seed)
    if not len(train) or not len(held):
        return Decided(found, name, cost_of_selections(arrays, found, sample))
    return Decided(found, name, cost_of_selections(arrays, CANDIDATES[name](arrays, train, seed), held))


def _is_clearly_less(a: float, b: float, events: float) -> bool:
    """Whether one mean of so many events is below another by more than chance would have it."""
    return (b - a) * events > math.sqrt((a + b) * events)
