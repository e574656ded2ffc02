"""Effects of other budgets and methods, without a change of the planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercast.errors import Refused, shown
from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.evaluation.cost_model import HOST_WEIGHT, expected_of
from tercast.optimizer.evaluation.cover_evaluation import arrays_under, flows_under
from tercast.optimizer.methods.exception_method import best_selection
from tercast.optimizer.methods.greedy_merges import greedy_merges
from tercast.optimizer.methods.optimal import HELD_BACK, NEAR
from tercast.optimizer.methods.selection import EntrySelection, exact_selection
from tercast.optimizer.methods.sweeps import TRACE
from tercast.optimizer.methods.switch_forest import SwitchForest, make_forest
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.publisher_loads import PublisherLoads
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.runtime.wording import unknown_name

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

POINTS = 12
"""Number of budgets on a curve, if none are given."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A budget with its entries, and means per event: redundant copies, false positives.

    The means are those that one switch adds to the whole network. `entries` is None if the budget cannot be
    met.
    """

    budget: int
    entries: int | None
    copies: float
    unwanted: float


def what_if(
    planner: Planner,
    method: str,
    traffic: Traffic | Iterable[object],
    sampling: float = 1.0,
    seed: int = 0,
    *,
    budgets: Mapping[str, int | None] | None = None,
) -> dict[str, object]:
    """Return entries and expected false positives as JSON, by switch and for the network."""
    result = aggregate(planner, method, traffic, sampling, seed, budgets=budgets)
    expected = result.expected
    limits = {name: site.budget for name, site in planner.network.sites.items()} | dict(budgets or {})
    return {
        "method": method,
        "chosen": result.chosen,
        "yardstick_gap": result.optimality_gap,
        "seconds": result.seconds,
        "unmet": list(result.unmet),
        "network": {
            "exact": sum(result.before.values()),
            "entries": sum(result.after.values()),
            "copies": expected.copies,
            "unwanted": expected.unwanted,
        },
        "switches": {
            name: {
                "budget": limits.get(name),
                "exact": exact,
                "entries": result.after[name],
                "copies": expected.by_switch.get(name, 0.0),
                "unwanted": expected.unwanted_by_switch.get(name, 0.0),
            }
            for name, exact in result.before.items()
            if exact
        },
    }


def curve(
    planner: Planner,
    switch: str,
    method: str,
    traffic: Traffic | Iterable[object],
    *,
    budgets: Sequence[int] | None = None,
    seed: int = 0,
) -> list[CurvePoint]:
    """Compute the false positives that a switch adds with each of some budgets.

    All other switches keep their installed tables. The cost is measured on a held-back part of the traffic.
    Without `budgets`, some values from 1 to the size of the exact table are used.
    """
    _check_question(planner, switch, method)
    known = traffic if isinstance(traffic, Traffic) else read_traffic(planner, traffic)
    train, held = known.split(HELD_BACK, seed)
    covers = {name: topics for name, topics in planner.budget_enforcer.covers().items() if name != switch}
    arrays, tables = arrays_under(planner, covers)
    at = arrays.index[switch]
    exact = flows_under(arrays, tables, held)
    now = flows_under(arrays, tables, held)
    events = max(held.weight, 1.0)
    forest = _forest(arrays, at, method, train, flows_under(arrays, tables, _seen(method, train, seed)))
    points: list[CurvePoint] = []
    for budget in budgets if budgets is not None else spread_budgets(arrays.count(at)):
        selection = _decide(forest, method, budget)
        if selection is None:
            points.append(CurvePoint(budget, None, 0.0, 0.0))
            continue
        _install(selection, at, now)
        cost = expected_of(arrays, exact, now, events)
        points.append(CurvePoint(budget, len(selection), cost.copies, cost.unwanted))
    return points


def _check_question(planner: Planner, switch: str, method: str) -> None:
    """Refuse an unknown method or switch."""
    if method not in METHODS:
        rule = f"unknown method {shown(method)}; use one of {', '.join(METHODS)}"
        raise Refused(("method",), "unknown_method", rule, method)
    if switch not in planner.network.sites:
        rule = unknown_name("switch", switch, planner.network.sites)
        raise Refused(("switch",), "unknown_switch", rule, switch)


def _install(selection: EntrySelection, at: int, flows: Sequence[EventFlows]) -> None:
    """Install a selection at the switch `at`, for every topic that has a table there."""
    found = selection.tables()
    for one in flows:
        if at in one.topic.tables:
            one.set_tables(at, found[one.topic.name])


def spread_budgets(count: int) -> list[int]:
    """Choose budgets from 1 to a number of entries, closer together where they are small."""
    steps = {max(1, round(count ** (i / (POINTS - 1)))) for i in range(POINTS)}
    return sorted(step for step in steps if step <= count)


def _seen(method: str, train: Traffic, seed: int) -> Traffic:
    return NEAR(train, seed) if method == "optimal" else train


def _forest(
    arrays: NetworkArrays, at: int, method: str, train: Traffic, samples: Sequence[EventFlows]
) -> SwitchForest:
    if method == "fa-lb":
        loads = [PublisherLoads(arrays, topic, train.topics.get(topic.name)) for topic in arrays.topics]
        return make_forest(arrays, at, loads)
    if method == "fa-pb":
        return make_forest(arrays, at, samples)
    trace = TRACE * sum(float(sample.weight.sum()) for sample in samples)
    return make_forest(arrays, at, samples, follow=True, trace=trace)


def _decide(forest: SwitchForest, method: str, budget: int) -> EntrySelection | None:
    """Return the entries of a method; the paper's methods do not change tables that fit."""
    if method == "optimal":
        return best_selection(forest, budget, HOST_WEIGHT)
    if budget >= forest.entries:
        return exact_selection(forest, 1.0)
    return greedy_merges(forest, budget, 1.0)
