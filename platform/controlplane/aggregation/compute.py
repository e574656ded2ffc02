"""Computation of covers for a network and of their effect, for a separate process.

This module uses only the core library. It changes the given planners, so they must have no other user.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from controlplane.aggregation.held_back_events import hold_back, reason_against
from controlplane.aggregation.run_results import TablesAndCost, results
from tercast.errors import Refused
from tercast.optimizer.evaluation.cover_evaluation import judge_covers, savings
from tercast.optimizer.methods.optimal import HELD_BACK
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.optimizer.traffic.past_traffic import Traffic, check_sampling
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.optimizer.what_if import CurvePoint, curve
from tercast.planner.planner import Planner
from tercast.requests.kinds import AGGREGATE, SET_AGGREGATION, SET_BUDGET
from tercast.tables.covers import network_covers_json

NO_TRAFFIC = "the platform has no events of active advertisements: report some to /api/v1/traffic/samples/"
HOLDS = "all budgets are met without aggregation"
SAME = "the result equals the installed merged entries"

PastEvents = Sequence[object]
Loads = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ComputedCovers:
    """Result of a run: `request` for the log, or None with the `reason`."""

    reason: str = ""
    request: dict[str, Any] | None = None
    results: dict[str, Any] | None = None
    covers_before: dict[str, Any] = field(default_factory=dict)


def run(
    planner: Planner,
    method: str,
    events: PastEvents,
    sampling: float,
    gain: float | None,
    *,
    numbers: Sequence[int] | None = None,
    loads: Loads | None = None,
) -> ComputedCovers:
    """Compute covers by `method`; with a `gain`, only covers that save that share of their cost.

    The cost is redundant copies plus weighted false positives, on events that are held back from
    `method`. A difference that is not statistically significant changes nothing.
    `numbers` numbers the events (see `hold_back`).
    `loads` has the events by advertisement, if they are known better than from `events`.
    """
    if not planner.budget_enforcer.overlays and not planner.over_budget_exactly():
        return ComputedCovers(HOLDS)
    if not events:
        return ComputedCovers(NO_TRAFFIC)
    start = perf_counter()
    rest, held = hold_back(planner, events, numbers)
    before, old = TablesAndCost.of(planner, held), planner.budget_enforcer.covers()
    covers, exceeded = network_covers_json(old), planner.over_budget()
    worked_out = aggregate(planner, method, rest.weighed(loads or {}), sampling)
    request = dict(worked_out.request)
    outcome = planner.apply(request)
    if not outcome.ok:
        return ComputedCovers(str(outcome.reason))
    after = TablesAndCost.of(planner, held)
    more = {"chosen": worked_out.chosen, "gap": worked_out.optimality_gap}
    summary = results(planner, before, after, covers, **more, seconds=perf_counter() - start)
    cost = before.cost.cost if before.cost else 0.0
    saved = savings(planner, old, planner.budget_enforcer.covers(), held)
    reason = "" if gain is None or exceeded else reason_against(cost, saved, gain)
    if network_covers_json(planner.budget_enforcer.covers()) == covers:
        reason = SAME
    covers_before = {name: covers.get(name, {}) for name in worked_out.covers}
    return ComputedCovers(reason, None if reason else request, summary, covers_before)


def what_if(
    planner: Planner,
    method: str,
    events: PastEvents,
    sampling: float,
    budgets: Mapping[str, int | None],
    *,
    numbers: Sequence[int] | None = None,
    loads: Loads | None = None,
) -> dict[str, Any]:
    """Return entries and their cost with other budgets and another method, from exact tables.

    The cost is measured on events that are held back from the method, as in `run`. With the method `none`,
    tables are exact. With all others, entries are merged immediately, as when budgets are set. A switch for
    which the method finds nothing better stays like this. `unmet` are the switches whose budgets are not met.

    Raises:
        Refused: The events are invalid, at paths below `traffic`.
    """
    check_sampling(sampling)
    start = perf_counter()
    with _under_traffic():
        rest, held = hold_back(planner, events, numbers)
    before, covered = TablesAndCost.of(planner, held), list(planner.budget_enforcer.covers())
    _reset(planner, budgets)
    planner.apply({"op": SET_AGGREGATION, "method": method})
    chosen, gap = method, None
    if method in METHODS:
        worked_out = aggregate(planner, method, rest.weighed(loads or {}), sampling)
        planner.apply(worked_out.request)
        chosen, gap = worked_out.chosen, worked_out.optimality_gap
    after = TablesAndCost.of(planner, held)
    summary = results(planner, before, after, covered, chosen=chosen, gap=gap, seconds=perf_counter() - start)
    return summary | {"unmet": list(planner.over_budget()), "events": len(events)}


def budget_curve(
    planner: Planner,
    switch: str,
    method: str,
    events: PastEvents,
    budgets: Sequence[int] | None,
    *,
    loads: Loads | None = None,
) -> list[dict[str, Any]]:
    """Return the false positives that one switch adds to the network, by its budget.

    All other switches do not change. If the method alone does not meet a budget, the entries are those of
    immediate merging.
    """
    with _under_traffic():
        known = read_traffic(planner, events).weighed(loads or {})
    points = {point.budget: point for point in curve(planner, switch, method, known, budgets=budgets)}
    asked = list(budgets if budgets is not None else points)
    unheld = [budget for budget, point in points.items() if point.entries is None]
    points |= _merged_at_once(planner, switch, method, unheld, known.split(HELD_BACK, 0)[1])
    return [
        {
            "budget": point.budget,
            "entries": point.entries,
            "needless": None if point.entries is None else point.copies,
            "unwanted": None if point.entries is None else point.unwanted,
        }
        for point in map(points.__getitem__, asked)
    ]


def _merged_at_once(
    planner: Planner, switch: str, method: str, budgets: Sequence[int], held: Traffic
) -> dict[int, CurvePoint]:
    """Return the points of budgets that immediate merging meets; this changes the planner."""
    found: dict[int, CurvePoint] = {}
    if not budgets:
        return found
    planner.apply({"op": SET_AGGREGATION, "method": method})
    _make_exact(planner, switch)
    others = judge_covers(planner, planner.budget_enforcer.covers(), held)
    for budget in sorted(budgets, reverse=True):
        _make_exact(planner, switch)
        if not planner.apply({"op": SET_BUDGET, "switch": switch, "tcam_budget": budget}).ok:
            break  # no smaller budget is met either
        cost = judge_covers(planner, planner.budget_enforcer.covers(), held)
        copies, unwanted = cost.copies - others.copies, cost.unwanted - others.unwanted
        found[budget] = CurvePoint(budget, planner.counts()[switch], copies, unwanted)
    return found


def _make_exact(planner: Planner, switch: str) -> None:
    """Set the exact table of a switch, regardless of its size."""
    planner.apply({"op": SET_BUDGET, "switch": switch, "tcam_budget": None})
    planner.apply({"op": AGGREGATE, "method": "none", "covers": {switch: {}}})


@contextmanager
def _under_traffic() -> Iterator[None]:
    """Report refused values of the block at paths below `traffic`."""
    try:
        yield
    except Refused as refused:
        raise refused.under("traffic") from None


def _reset(planner: Planner, budgets: Mapping[str, int | None]) -> None:
    """Make all tables exact, then set budgets; nothing is merged in between."""
    own = {name: switch.tcam_budget for name, switch in planner.topology.switches.items()}
    planner.enforce_budgets = False  # unmet budgets are reported, not refused
    planner.apply({"op": SET_AGGREGATION, "method": "none"})
    for name in own:
        planner.apply({"op": SET_BUDGET, "switch": name, "tcam_budget": None})
    planner.apply({"op": AGGREGATE, "method": "none", "covers": {name: {} for name in own}})
    for name, budget in own.items():
        planner.apply({"op": SET_BUDGET, "switch": name, "tcam_budget": budgets.get(name, budget)})
