"""The complete aggregation: from traffic to covers as a request, with their expected cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from tercast.errors import Refused, shown
from tercast.optimizer.arrays.network_arrays import NetworkArrays
from tercast.optimizer.evaluation.cost_model import HOST_WEIGHT, Decisions, Expected, cost_of_selections
from tercast.optimizer.methods.baselines import as_installed, deepest_installed
from tercast.optimizer.methods.optimal import CostedDecision, best_candidate, one_candidate
from tercast.optimizer.methods.selection import EntrySelection
from tercast.optimizer.methods.sweeps import load_based, optimality_gap
from tercast.optimizer.traffic.past_traffic import Traffic, check_sampling
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.requests.kinds import AGGREGATE
from tercast.tables.covers import NetworkCovers, network_covers_json

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

METHODS = ("fa-lb", "fa-pb", "optimal")


@dataclass(frozen=True, slots=True)
class AggregationResult:
    """Result of an aggregation.

    Attributes:
        request: the request for the log.
        before: the exact entries of every switch.
        after: the entries of every switch with the covers.
        optimality_gap: the relative distance of the cost from that of the exact choice of merge points, both
            as the method charges them; negative if it is lower. None if only the exact choice costs nothing.
        unmet: the switches whose budgets no covers can meet; they do not change.
        chosen: the best candidate.
    """

    method: str
    request: dict[str, object]
    covers: NetworkCovers
    before: Mapping[str, int]
    after: Mapping[str, int]
    expected: Expected
    optimality_gap: float | None
    seconds: float
    chosen: str
    unmet: tuple[str, ...] = ()
    selections: Decisions = field(default_factory=dict, repr=False)


def aggregate(
    planner: Planner,
    method: str,
    traffic: Traffic | Iterable[object],
    sampling: float = 1.0,
    seed: int = 0,
    *,
    budgets: Mapping[str, int | None] | None = None,
) -> AggregationResult:
    """Compute covers that meet all budgets; the planner does not change.

    Args:
        planner: the planner.
        method: one of `METHODS`.
        traffic: past events, as JSON or as the result of `read_traffic`.
        sampling: the share of events to use.
        seed: the seed of random choices.
        budgets: replaces the budgets of the switches that it names.

    Raises:
        Refused: the method is unknown, the sampling factor is outside (0, 1], or an event has an unknown
            publisher or is outside its advertisement.
    """
    start = perf_counter()
    if method not in METHODS:
        detail = f"unknown method {shown(method)}; use one of {', '.join(METHODS)}"
        raise Refused(("method",), "unknown_method", detail, method)
    check_sampling(sampling)
    known = traffic if isinstance(traffic, Traffic) else read_traffic(planner, traffic)
    sample = known.sampled(sampling)
    installed = planner.budget_enforcer.covers() if method == "optimal" else {}
    arrays = NetworkArrays(planner, budgets, deepest_installed(installed))
    if method == "optimal":
        decided = best_candidate(arrays, sample, seed, as_installed(arrays, installed) if installed else None)
    elif method == "fa-pb":
        decided = one_candidate(arrays, sample, seed, method)
    else:
        found = load_based(arrays, known, seed)
        decided = CostedDecision(found, method, cost_of_selections(arrays, found, sample))
    return _result(arrays, method, decided, start)


def _result(arrays: NetworkArrays, method: str, decided: CostedDecision, start: float) -> AggregationResult:
    selections = decided.selections
    names = arrays.names
    before = {name: arrays.count(s) for s, name in enumerate(names)}
    found = {s: selection for s, selection in selections.items() if selection is not None}
    forests = {
        s: one for s, one in (decided.forests or selections).items() if isinstance(one, EntrySelection)
    }
    covers: NetworkCovers = {
        names[s]: {name: table for name, table in selection.covers().items() if table}
        for s, selection in sorted(found.items())
    }
    for s, site in enumerate(arrays.sites):
        if site.overlay is not None and s not in selections:
            covers[names[s]] = {}
    return AggregationResult(
        method=method,
        request={"op": AGGREGATE, "method": method, "covers": network_covers_json(covers)},
        covers=covers,
        before=before,
        after=before | {names[s]: len(selection) for s, selection in found.items()},
        expected=decided.expected,
        optimality_gap=optimality_gap(arrays, forests, 1.0 if method != "optimal" else HOST_WEIGHT),
        seconds=perf_counter() - start,
        chosen=decided.chosen,
        unmet=tuple(names[s] for s in selections if s not in found),
        selections=selections,
    )
