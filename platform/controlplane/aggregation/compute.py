"""Working out covers for a network, and what they would bring; for a process of its own.

It knows the core library only. Planners that it is given are changed, and belong to nobody else.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from controlplane.aggregation.figures import State, results
from controlplane.aggregation.held import doubt, hold_back
from tercast.aggregation.covers import network_covers_json
from tercast.aggregation.run import aggregate
from tercast.aggregation.standing import savings
from tercast.aggregation.traffic import check_sampling, read_traffic
from tercast.aggregation.whatif import curve
from tercast.errors import Refused
from tercast.planner import Planner

NO_TRAFFIC = "no events of live advertisements are kept: report some to /api/v1/traffic/samples/"
HOLDS = "all budgets hold without aggregation"
SAME = "it comes to the covers that are installed"

Budgets = Mapping[str, int | None]
Events = Sequence[object]
Numbers = Sequence[int]
Loads = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Found:
    """What a run came to: `request` is for the log; None where `reason` says why there is none."""

    reason: str = ""
    request: dict[str, Any] | None = None
    results: dict[str, Any] | None = None
    covers_before: dict[str, Any] = field(default_factory=dict)


def run(
    planner: Planner,
    method: str,
    events: Events,
    sampling: float,
    gain: float | None,
    *,
    numbers: Numbers | None = None,
    loads: Loads | None = None,
) -> Found:
    """Covers by `method`; with a `gain`, only those that save at least that share of their cost.

    The cost is needless copies, and unwanted deliveries at the weight that the methods give them. It is told,
    of the old covers and the new ones, by events that are held back from `method` (see `hold_back` for the
    `numbers` of events); where the difference may be chance there is no change. `loads` are how many events
    advertisements bring, where that is known better than by `events`.
    """
    if not planner.keeper.overlays and not planner.over_budget_exactly():
        return Found(HOLDS)
    if not events:
        return Found(NO_TRAFFIC)
    start = perf_counter()
    rest, held = hold_back(planner, events, numbers)
    before, old = State.of(planner, held), planner.keeper.covers()
    covers, exceeded = network_covers_json(old), planner.over_budget()
    worked_out = aggregate(planner, method, rest.weighed(loads or {}), sampling)
    request = dict(worked_out.request)
    outcome = planner.apply(request)
    if not outcome.ok:
        return Found(str(outcome.reason))
    after = State.of(planner, held)
    more = {"chosen": worked_out.chosen, "gap": worked_out.yardstick_gap}
    told = results(planner, before, after, covers, **more, seconds=perf_counter() - start)
    cost = before.cost.cost if before.cost else 0.0
    saved = savings(planner, old, planner.keeper.covers(), held)
    reason = "" if gain is None or exceeded else doubt(cost, saved, gain)
    if network_covers_json(planner.keeper.covers()) == covers:
        reason = SAME
    covers_before = {name: covers.get(name, {}) for name in worked_out.covers}
    return Found(reason, None if reason else request, told, covers_before)


def what_if(
    planner: Planner,
    method: str,
    events: Events,
    sampling: float,
    budgets: Budgets,
    *,
    numbers: Numbers | None = None,
    loads: Loads | None = None,
) -> dict[str, Any]:
    """Entries and their cost with other budgets and another method, from exact tables on.

    The cost is told by events that are held back from the method, as in `run`.
    With `none` tables are exact, and with `la` merged at once. `unmet` are the switches whose budgets do not
    hold. Refused: events, below `traffic`.
    """
    check_sampling(sampling)
    start = perf_counter()
    with _under_traffic():
        rest, held = hold_back(planner, events, numbers)
    before, covered = State.of(planner, held), list(planner.keeper.covers())
    _begin_anew(planner, budgets)
    chosen, gap = method, None
    if method == "la":
        planner.apply({"op": "set_aggregation", "method": method})
    elif method != "none":
        worked_out = aggregate(planner, method, rest.weighed(loads or {}), sampling)
        planner.apply(worked_out.request)
        chosen, gap = worked_out.chosen, worked_out.yardstick_gap
    after = State.of(planner, held)
    told = results(planner, before, after, covered, chosen=chosen, gap=gap, seconds=perf_counter() - start)
    return told | {"unmet": list(planner.over_budget()), "events": len(events)}


def budget_curve(
    planner: Planner,
    switch: str,
    method: str,
    events: Events,
    budgets: Sequence[int] | None,
    *,
    loads: Loads | None = None,
) -> list[dict[str, Any]]:
    """What one switch adds to the network's false positives, by its budget; all others are as they are."""
    with _under_traffic():
        known = read_traffic(planner, events).weighed(loads or {})
    points = curve(planner, switch, method, known, budgets=budgets)
    return [
        {
            "budget": point.budget,
            "entries": point.entries,
            "needless": None if point.entries is None else point.copies,
            "unwanted": None if point.entries is None else point.unwanted,
        }
        for point in points
    ]


@contextmanager
def _under_traffic() -> Iterator[None]:
    """What is refused within is at fault below `traffic`."""
    try:
        yield
    except Refused as refused:
        raise refused.under("traffic") from None


def _begin_anew(planner: Planner, budgets: Budgets) -> None:
    """Make all tables exact, then set budgets; nothing is merged on the way."""
    own = {name: switch.tcam_budget for name, switch in planner.topology.switches.items()}
    planner.enforce_budgets = False  # those that do not hold are told, not refused
    planner.apply({"op": "set_aggregation", "method": "none"})
    for name in own:
        planner.apply({"op": "set_budget", "switch": name, "tcam_budget": None})
    planner.apply({"op": "aggregate", "method": "none", "covers": {name: {} for name in own}})
    for name, budget in own.items():
        planner.apply({"op": "set_budget", "switch": name, "tcam_budget": budgets.get(name, budget)})
