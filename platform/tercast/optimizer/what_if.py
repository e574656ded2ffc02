"""What other budgets and methods would do, without touching the planner."""

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

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

POINTS = 12
"""Budgets of a curve where none are asked for."""


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """With a budget: entries, and means for each event of needless copies and unwanted deliveries.

    Of the whole network, as far as the one switch adds to them. No entries where the budget cannot hold.
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
    """Entries and expected false positives, as JSON: for each switch that has entries, and of the network."""
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
    """What a switch adds to false positives with each of some budgets; all others are as they are installed.

    Judged on a part of the traffic that is held back. Without `budgets`, some from 1 to what the exact table
    has.
    """
    _check_question(planner, switch, method)
    known = traffic if isinstance(traffic, Traffic) else read_traffic(planner, traffic)
    train, held = known.split(HELD_BACK, seed)
    covers = {name: topics for name, topics in planner.keeper.covers().items() if name != switch}
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
    """Refuse a method or a switch that does not exist."""
    if method not in METHODS:
        raise Refused(
            ("method",), "unknown_method", f"{shown(method)} is none of {', '.join(METHODS)}", method
        )
    if switch not in planner.network.sites:
        raise Refused(("switch",), "unknown_switch", f"no switch {shown(switch)}", switch)


def _install(selection: EntrySelection, at: int, flows: Sequence[EventFlows]) -> None:
    """Install a selection at the switch `at`, for the events of every topic that has a table there."""
    found = selection.tables()
    for one in flows:
        if at in one.topic.tables:
            one.set_tables(at, found[one.topic.name])


def spread_budgets(count: int) -> list[int]:
    """Some budgets from 1 to a number of entries, nearer to each other where they are small."""
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
    """The entries of a method alone; the methods of the paper leave exact tables that fit as they are."""
    if method == "optimal":
        return best_selection(forest, budget, HOST_WEIGHT)
    if budget >= forest.entries:
        return exact_selection(forest, 1.0)
    return greedy_merges(forest, budget, 1.0)
