"""Carrying out a scenario: its requests through a planner, within the budgets that it or the caller sets."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter

from tercast.errors import Refused, RefusedMany, shown
from tercast.offline.plan_file import FailedRequest
from tercast.offline.scenario import Scenario
from tercast.optimizer.pipeline import METHODS, AggregationResult, aggregate
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.traffic_reader import TrafficReader
from tercast.planner.planner import Outcome, Planner
from tercast.requests.model import (
    Advertise,
    Request,
    SetAggregation,
    SetBudget,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)
from tercast.requests.registry import Registry
from tercast.runtime.json_files import FileRefused, read_lines
from tercast.runtime.latency_stats import Timing
from tercast.runtime.wording import quantity

ALL = "all"

Budgets = Mapping[str, int | None]


@dataclass(slots=True)
class Carried:
    """The planner after the last request, the requests without room, and how long it took.

    `method` is the policy, `traffic` the past events for it; `result` is there where it has worked out covers
    after the last request.
    """

    planner: Planner
    method: str
    traffic: Traffic = field(default_factory=Traffic)
    result: AggregationResult | None = None
    failed: dict[str, FailedRequest] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)


def carry_out(name: str, scenario: Scenario, method: str, budgets: Budgets | None = None) -> Carried:
    """Carry out the scenario of the file `name`; FileRefused when it comes to something that is no plan.

    `budgets` by switch (`all`: every other one) stand above what the scenario says of these switches, from
    the first request to the last. Where a budget is exceeded LA makes room at once, for every method but
    `none`; after the last request `fa-lb`, `fa-pb` and `optimal` take its place. Traffic that the scenario
    names is read for each of the four, also where budgets hold without them.
    """
    beginning = scenario.beginning()
    fixed = fixed_budgets(beginning, budgets or {})
    for switch, budget in fixed.items():
        beginning.topology.set_budget(switch, budget)
    planner = Planner(
        scenario.address,
        scenario.limits,
        beginning.topology,
        beginning.topics.values(),
        enforce_budgets=method != "none",
    )
    planner.apply(SetAggregation(method))
    carried = Carried(planner, method)
    _take_requests(name, scenario, fixed, carried)
    if method != "none":
        carried.traffic = _read_past(name, carried, scenario.aggregation.traffic)
    if method in METHODS and planner.over_budget_exactly():
        carried.result = _aggregate(name, carried, scenario.aggregation.sampling)
    refuse_excess(name, planner, method)
    return carried


def fixed_budgets(beginning: Registry, budgets: Budgets) -> dict[str, int | None]:
    """The budget of every switch that `budgets` names; Refused where it names one that there is not."""
    switches = beginning.topology.switches
    fixed: dict[str, int | None] = {}
    if ALL in budgets and ALL not in switches:
        fixed = dict.fromkeys(switches, budgets[ALL])
    for switch, budget in budgets.items():
        if switch in switches:
            fixed[switch] = budget
        elif switch != ALL:
            raise FileRefused([f"--budget: no switch {shown(switch)}"])
    return fixed


def with_options(scenario: Scenario, method: str | None, budgets: Budgets) -> Scenario:
    """The scenario as it is carried out with another method (None: its own) and other budgets.

    Its network at the end of all requests gets the budgets; FileRefused as `fixed_budgets`.
    """
    for switch, budget in fixed_budgets(scenario.final, budgets).items():
        scenario.final.topology.set_budget(switch, budget)
    if method is None:
        return scenario
    return replace(scenario, aggregation=replace(scenario.aggregation, method=method))


def _take_requests(name: str, scenario: Scenario, fixed: Budgets, carried: Carried) -> None:
    """Apply all requests one by one."""
    gc.freeze()  # what was read stays; the collector need not look at it again
    try:
        for i, request in enumerate(scenario.requests):
            if isinstance(request, SetBudget) and request.switch in fixed:
                continue
            start = perf_counter()
            outcome = _take(request, carried)
            if outcome is None:
                continue
            changes = len(carried.planner.take_diff())
            carried.timing.note(perf_counter() - start, changes)
            if outcome.reason is not None:
                raise FileRefused([f"{name}: {outcome.reason.under('requests', i)}"])
    finally:
        gc.unfreeze()


def _take(request: Request, carried: Carried) -> Outcome | None:
    """Apply a request; None for the withdrawal of one that failed."""
    failed = carried.failed
    if isinstance(request, Unsubscribe | Unadvertise) and failed.pop(request.id, None) is not None:
        return None
    outcome = carried.planner.apply(request)
    if isinstance(request, Subscribe | Advertise) and outcome.failed_switches and outcome.reason is not None:
        failed[request.id] = FailedRequest(request.id, outcome.failed_switches, str(outcome.reason))
        return Outcome(ok=True)
    return outcome


def _read_past(name: str, carried: Carried, traffic: str | None) -> Traffic:
    """The past events of a file beside the scenario's; what failed advertisements sent does not count."""
    reader = TrafficReader(carried.planner)
    if traffic is None:
        return reader.traffic()
    file = str(Path(name).parent / traffic)
    for number, event in read_lines(file):
        if isinstance(event, dict) and str(event.get("publisher")) in carried.failed:
            continue
        try:
            reader.take(event)
        except Refused as refused:
            raise FileRefused([f"{file}:{number}: {refused}"]) from None
        except RefusedMany as many:
            raise FileRefused([f"{file}:{number}: {refused}" for refused in many.errors]) from None
    return reader.traffic()


def _aggregate(name: str, carried: Carried, sampling: float) -> AggregationResult:
    """Work out covers from past traffic, and install them."""
    planner = carried.planner
    result = aggregate(planner, carried.method, carried.traffic, sampling)
    outcome = planner.apply(result.request)
    if outcome.reason is not None:
        raise FileRefused([f"{name}: {outcome.reason}"])
    planner.take_diff()
    return result


def refuse_excess(name: str, planner: Planner, method: str) -> None:
    """Tables larger than budgets are no plan."""
    counts = planner.counts()
    if method == "none":
        why = "aggregation.method is none"
    else:
        why = f'aggregation.method "{method}" finds no merge that keeps trees apart'
    lines = [
        f"{name}: switch {switch} needs {quantity(counts[switch], 'entry', 'entries')}, its tcam_budget is "
        f"{planner.topology.switches[switch].tcam_budget}, and {why}"
        for switch in planner.over_budget()
    ]
    if lines:
        raise FileRefused(lines)


def read_budget_option(text: str) -> tuple[str, int | None]:
    """`SWITCH=N`, `all=N`; N is a number from 0 on, or `none`."""
    switch, separator, number = text.rpartition("=")
    if not separator or not switch:
        raise Refused((), "wrong_type", f"{shown(text)} is not SWITCH=N or all=N", text)
    if number == "none":
        return switch, None
    if not (number.isascii() and number.isdecimal()) or len(number) > 9:
        detail = f"{shown(number)} is no budget for {shown(switch)}: an integer from 0 on, or none"
        raise Refused((), "out_of_range", detail, number)
    return switch, int(number)
