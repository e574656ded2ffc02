"""`optimal`: several candidates, compared on a held-back part of the sample."""

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


@dataclass(frozen=True, slots=True)
class SearchEffort:
    """Effort for networks whose exact tables over budget have at most `entries` entries.

    `sweeps` is the number of passes over all switches, `rounds` the number at each switch, and `events` the
    largest number of events to learn from. `thorough` means that wide smoothing is tried too, and that the
    chosen candidate runs again with the held-back events.
    """

    entries: float
    sweeps: int
    rounds: int
    events: float
    thorough: bool


EFFORTS = (
    SearchEffort(15_000, sweeps=4, rounds=ROUNDS, events=50_000, thorough=True),
    SearchEffort(150_000, sweeps=2, rounds=3, events=20_000, thorough=False),
    SearchEffort(math.inf, sweeps=1, rounds=2, events=20_000, thorough=False),
)


def effort_of(arrays: NetworkArrays) -> SearchEffort:
    """Return the effort for a network."""
    entries = sum(map(arrays.count, arrays.over_budget()))
    return next(effort for effort in EFFORTS if entries <= effort.entries)


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Parameters of `traffic.smoothed`; there are fewer copies if `points` would be exceeded."""

    copies: int
    weight: float
    spread: tuple[float, float]
    points: int

    def __call__(self, traffic: Traffic, seed: int) -> Traffic:
        """Return the smoothed sample."""
        copies = min(self.copies, max(1, self.points // max(1, len(traffic))))
        return smoothed(traffic, copies, self.weight, self.spread, seed)


NEAR = Smoothing(copies=16, weight=3.0, spread=(0.02, 0.04), points=50_000)
WIDE = Smoothing(copies=24, weight=10.0, spread=(0.05, 0.1), points=80_000)


@dataclass(frozen=True, slots=True)
class CostedDecision:
    """A decision with its candidate and its expected cost.

    `forests` has the decision on forests with their events, if these differ from `selections`.
    """

    selections: Decisions
    chosen: str
    expected: Expected
    forests: Mapping[int, EntrySelection | None] | None = None


def near(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """Exceptions, from a slightly smoothed sample."""
    return _with_exceptions(arrays, NEAR(traffic, seed))


def wide(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """Exceptions, from a more smoothed sample: for events that spread over much of the space."""
    return _with_exceptions(arrays, WIDE(traffic, seed))


def _with_exceptions(arrays: NetworkArrays, traffic: Traffic) -> Selections:
    effort = effort_of(arrays)
    return by_exceptions(arrays, traffic, effort.sweeps, effort.rounds)


CANDIDATES: dict[str, Callable[[NetworkArrays, Traffic, int], Selections]] = {
    "exceptions": near,
    "exceptions-wide": wide,
    "la": lowest_merges,
    "fa-pb": pattern_based,
}

STANDING = "installed"
"""The candidate that changes nothing."""


def best_candidate(
    arrays: NetworkArrays, sample: Traffic, seed: int, installed: Decisions | None = None
) -> CostedDecision:
    """Choose the candidate that is best on held-back events, and run it again with them.

    `fa-pb` is chosen only if it is better by more than chance explains. Large tables get less effort (see
    `SearchEffort`), and then the result without the held-back events is kept. `installed` are the installed
    tables, if they meet the budgets. If a candidate cannot meet a budget, that switch keeps its installed
    table.
    """
    train, held = sample.split(HELD_BACK, seed)
    if not len(train) or not len(held) or not arrays.over_budget():
        found = near(arrays, sample, seed)
        return CostedDecision(found, "exceptions", cost_of_selections(arrays, found, sample))
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
        return CostedDecision(made[chosen], chosen, costs[chosen], forests)
    if not effort.thorough:
        return CostedDecision(made[chosen], chosen, costs[chosen])
    again = CANDIDATES[chosen](arrays, _thinned(sample, effort.events), seed)
    return CostedDecision(_filled(again, installed), chosen, costs[chosen])


def _thinned(traffic: Traffic, events: float) -> Traffic:
    """Return at most `events` events, each with the weight of those that are left out."""
    return traffic if len(traffic) <= events else traffic.sampled(events / len(traffic))


def _filled(found: Decisions, installed: Decisions | None) -> Decisions:
    """Return a decision with the installed tables for switches where a method meets no budget."""
    return {s: (installed or {}).get(s) if one is None else one for s, one in found.items()}


def _unmet(found: Decisions) -> int:
    """Count the switches whose budget is not met."""
    return sum(selection is None for selection in found.values())


def one_candidate(arrays: NetworkArrays, sample: Traffic, seed: int, name: str) -> CostedDecision:
    """Run one candidate on a whole sample; measure its cost on held-back events in a second run."""
    train, held = sample.split(HELD_BACK, seed)
    found = CANDIDATES[name](arrays, sample, seed)
    if not len(train) or not len(held):
        return CostedDecision(found, name, cost_of_selections(arrays, found, sample))
    return CostedDecision(
        found, name, cost_of_selections(arrays, CANDIDATES[name](arrays, train, seed), held)
    )


def _is_clearly_less(a: float, b: float, events: float) -> bool:
    """Whether one mean of `events` events is below another by more than chance explains."""
    return (b - a) * events > math.sqrt((a + b) * events)
