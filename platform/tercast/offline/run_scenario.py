"""Planning of a scenario: its requests are applied within its budgets or the caller's."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Protocol

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
from tercast.runtime.wording import quantity, unknown_name

ALL = "all"

SwitchBudgets = Mapping[str, int | None]


@dataclass(slots=True)
class ScenarioResult:
    """The planner after the last request, the failed requests, and the planning times.

    `method` is the aggregation method, `traffic` the past events for it. `result` is set if the method has
    computed covers after the last request.
    """

    planner: Planner
    method: str
    traffic: Traffic = field(default_factory=Traffic)
    result: AggregationResult | None = None
    failed: dict[str, FailedRequest] = field(default_factory=dict)
    timing: Timing = field(default_factory=Timing)


def carry_out(
    name: str, scenario: Scenario, method: str, budgets: SwitchBudgets | None = None
) -> ScenarioResult:
    """Plan the scenario in the file `name`.

    `budgets` by switch (`all`: every other switch) replace the scenario's budgets from the first request to
    the last. If a budget is exceeded, LA merges entries immediately, with every method except `none`. After
    the last request, `fa-lb`, `fa-pb` and `optimal` replace these covers. All methods except `none` read the
    scenario's traffic, even if no budget is exceeded.

    Raises:
        FileRefused: A request is refused, or the tables exceed the budgets.
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
    carried = ScenarioResult(planner, method)
    take_requests(name, scenario, fixed, carried, lambda one: (planner.apply(one), len(planner.take_diff())))
    if method != "none":
        carried.traffic = _read_past(name, carried, scenario.aggregation.traffic)
    if method in METHODS and planner.over_budget_exactly():
        carried.result = _aggregate(name, carried, scenario.aggregation.sampling)
    refuse_excess(name, planner, method)
    return carried


def fixed_budgets(beginning: Registry, budgets: SwitchBudgets) -> dict[str, int | None]:
    """The budget of every switch that `budgets` names; FileRefused if a switch does not exist."""
    switches = beginning.topology.switches
    fixed: dict[str, int | None] = {}
    if ALL in budgets and ALL not in switches:
        fixed = dict.fromkeys(switches, budgets[ALL])
    for switch, budget in budgets.items():
        if switch in switches:
            fixed[switch] = budget
        elif switch != ALL:
            raise FileRefused([f"--budget: {unknown_name('switch', switch, switches)}"])
    return fixed


def with_options(scenario: Scenario, method: str | None, budgets: SwitchBudgets) -> Scenario:
    """Return the scenario with another method (None: unchanged) and other budgets.

    The budgets are set in its network after all requests. FileRefused as in `fixed_budgets`.
    """
    for switch, budget in fixed_budgets(scenario.final, budgets).items():
        scenario.final.topology.set_budget(switch, budget)
    if method is None:
        return scenario
    return replace(scenario, aggregation=replace(scenario.aggregation, method=method))


class RequestRun(Protocol):
    """Requests that failed so far, by id, and the times of all requests."""

    failed: dict[str, FailedRequest]
    timing: Timing


def take_requests(
    name: str,
    scenario: Scenario,
    fixed: SwitchBudgets,
    run: RequestRun,
    take: Callable[[Request], tuple[Outcome, int]],
) -> None:
    """Carry out all requests of a scenario in order, except changes of the budgets in `fixed`.

    `take` carries out one request; it returns the outcome and the number of changed entries.

    Raises:
        FileRefused: a request is refused. A registration that exceeds a budget is a failed request instead.
    """
    gc.freeze()  # the scenario stays in memory, so the garbage collector can skip it
    try:
        for i, request in enumerate(scenario.requests):
            if isinstance(request, SetBudget) and request.switch in fixed:
                continue
            if (
                isinstance(request, Unsubscribe | Unadvertise)
                and run.failed.pop(request.id, None) is not None
            ):
                continue
            start = perf_counter()
            outcome, changes = take(request)
            run.timing.record_request(perf_counter() - start, changes)
            if outcome.reason is None:
                continue
            if isinstance(request, Subscribe | Advertise) and outcome.failed_switches:
                failed = FailedRequest(request.id, outcome.failed_switches, str(outcome.reason))
                run.failed[request.id] = failed
                continue
            raise FileRefused([f"{name}: {outcome.reason.under('requests', i)}"])
    finally:
        gc.unfreeze()


def _read_past(name: str, carried: ScenarioResult, traffic: str | None) -> Traffic:
    """Read the past events in a file next to the scenario; skip those of failed advertisements."""
    reader = TrafficReader(carried.planner)
    if traffic is None:
        return reader.traffic()
    file = str(Path(name).parent / traffic)
    _check_readable(name, file)
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


def _check_readable(name: str, file: str) -> None:
    """Raise FileRefused if the file of past events cannot be read.

    The message names the scenario and its key, because the caller did not name this file.
    """
    try:
        Path(file).open("rb").close()
    except OSError as error:
        detail = f"{file} cannot be read: {error.strerror}; correct the path, or create the file"
        raise FileRefused([f"{name}: aggregation.traffic: {detail}"]) from None


def _aggregate(name: str, carried: ScenarioResult, sampling: float) -> AggregationResult:
    """Compute covers from past traffic, and install them."""
    planner = carried.planner
    result = aggregate(planner, carried.method, carried.traffic, sampling)
    outcome = planner.apply(result.request)
    if outcome.reason is not None:
        raise FileRefused([f"{name}: {outcome.reason}"])
    planner.take_diff()
    return result


def refuse_excess(name: str, planner: Planner, method: str) -> None:
    """Raise FileRefused if a table exceeds its budget."""
    counts = planner.counts()
    if method == "none":
        why = 'the aggregation.method "none" does not merge entries'
    else:
        why = f'the aggregation.method "{method}" cannot merge them further'
    lines = [
        f"{name}: switch {switch} needs {quantity(counts[switch], 'entry', 'entries')}, but its tcam_budget "
        f"is {planner.topology.switches[switch].tcam_budget}; {why}"
        for switch in planner.over_budget()
    ]
    if lines:
        raise FileRefused(lines)


def read_budget_option(text: str) -> tuple[str, int | None]:
    """Parse `SWITCH=N` or `all=N`; N is an integer, 0 or larger, or `none`."""
    switch, separator, number = text.rpartition("=")
    if not separator or not switch:
        raise Refused((), "wrong_type", f"{shown(text)} is not a budget; write SWITCH=N or all=N", text)
    if number == "none":
        return switch, None
    if not (number.isascii() and number.isdecimal()) or len(number) > 9:
        rule = "use an integer of at least 0, or the word none (no limit)"
        detail = f"{shown(number)} is not a budget for {shown(switch)}; {rule}"
        raise Refused((), "out_of_range", detail, number)
    return switch, int(number)
