"""Carrying out a scenario: its requests through a planner, within the budgets that it or the caller sets."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter

from tercast.errors import Refused, shown
from tercast.files import FileRefused
from tercast.plan import Failure
from tercast.planner import Outcome, Planner
from tercast.registry import Registry
from tercast.requests import Advertise, Request, SetBudget, Subscribe, Unadvertise, Unsubscribe
from tercast.scenario import Scenario
from tercast.timing import Timing

ALL = "all"

AT_ONCE = ("la",)
"""The methods that this version has."""

Budgets = Mapping[str, int | None]


@dataclass(slots=True)
class Carried:
    """The planner after the last request, the requests without room, and how long it took."""

    planner: Planner
    failed: dict[str, Failure] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)


def carry_out(name: str, scenario: Scenario, method: str, budgets: Budgets | None = None) -> Carried:
    """Carry out the scenario of the file `name`; FileRefused when it comes to something that is no plan.

    `budgets` by switch (`all`: every other one) stand above what the scenario says of these switches, from
    the first request to the last.
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
        enforce_budgets=method in AT_ONCE,
    )
    if method in AT_ONCE:
        planner.apply({"op": "set_aggregation", "method": method})
    carried = Carried(planner)
    _take_requests(name, scenario, fixed, carried)
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
        failed[request.id] = Failure(request.id, outcome.failed_switches, str(outcome.reason))
        return Outcome(ok=True)
    return outcome


def refuse_excess(name: str, planner: Planner, method: str) -> None:
    """Tables larger than budgets are no plan."""
    counts = planner.counts()
    if method == "none":
        why = "aggregation.method is none"
    elif method in AT_ONCE:
        why = f'aggregation.method "{method}" finds no merge that keeps trees apart'
    else:
        why = f'aggregation.method "{method}" is not available in this version, which has {_known()}'
    lines = [
        f"{name}: switch {switch} needs {counts[switch]} entries, its tcam_budget is "
        f"{planner.topology.switches[switch].tcam_budget}, and {why}"
        for switch in planner.over_budget()
    ]
    if lines:
        raise FileRefused(lines)


def _known() -> str:
    return ", ".join(AT_ONCE)


def entries_table(planner: Planner) -> list[str]:
    """A line for each switch: its exact entries, those installed, and its budget."""
    rows = [("switch", "exact", "installed", "budget")]
    installed, exact = planner.counts(), planner.exact_counts()
    for name, switch in planner.topology.switches.items():
        budget = "-" if switch.tcam_budget is None else str(switch.tcam_budget)
        rows.append((name, str(exact.get(name, 0)), str(installed.get(name, 0)), budget))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows
    ]


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
