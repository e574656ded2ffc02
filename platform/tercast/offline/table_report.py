"""Report on the tables of a plan and their expected cost, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from tercast.offline.run_scenario import ScenarioResult
from tercast.optimizer.evaluation.cost_model import Expected
from tercast.optimizer.evaluation.cover_evaluation import judge_covers
from tercast.planner.planner import Planner

COLUMNS = ("switch", "exact", "installed", "budget")

UNKNOWN = "unknown (no traffic)"


def entries_table(carried: ScenarioResult) -> list[str]:
    """List the exact and installed entries, the budget and the expected cost of each switch.

    Costs are means per event, beyond those of exact tables. The last line has them for the network. Without
    past traffic, the costs of merged tables are unknown.
    """
    planner, expected = carried.planner, expected_cost(carried)
    rows = [[*COLUMNS], *switch_rows(planner)]
    if expected is not None:
        rows[0] += ["redundant copies per event", "false positives per event"]
        for row in rows[1:]:
            copies, unwanted = expected.by_switch, expected.unwanted_by_switch
            row += [f"{copies.get(row[0], 0.0):.4f}", f"{unwanted.get(row[0], 0.0):.4f}"]
    return aligned(rows) + _network(carried, expected)


def switch_rows(planner: Planner) -> list[list[str]]:
    """List each switch except border stubs, with exact and installed entries and budget."""
    installed, exact = planner.counts(), planner.exact_counts()
    return [
        [
            name,
            str(exact.get(name, 0)),
            str(installed.get(name, 0)),
            "-" if switch.tcam_budget is None else str(switch.tcam_budget),
        ]
        for name, switch in planner.topology.switches.items()
        if name not in planner.topology.borders
    ]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines: the first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]


def expected_cost(carried: ScenarioResult) -> Expected | None:
    """The cost of the tables per event; None if nothing may be merged or there is no traffic.

    If a method has computed all covers, the cost is its expectation for events held back. Otherwise it is the
    cost of all past events.
    """
    if carried.method == "none" or not len(carried.traffic):
        return None
    result = carried.result
    if result is not None and not result.unmet:
        return result.expected
    return judge_covers(carried.planner, carried.planner.budget_enforcer.covers(), carried.traffic)


def _network(carried: ScenarioResult, expected: Expected | None) -> list[str]:
    method = carried.method
    if expected is not None:
        return [
            f"{method}: expected cost of merging per event: {expected.copies:.4f} redundant copies between "
            f"switches and {expected.unwanted:.4f} false positives{_gap(carried)}"
        ]
    if carried.planner.budget_enforcer.covers():
        return [f"{method}: redundant copies and false positives are {UNKNOWN}"]
    return []


def _gap(carried: ScenarioResult) -> str:
    """Relative difference to the cost of the exact choice of merge points, if a method was used."""
    if carried.result is None:
        return ""
    gap = carried.result.optimality_gap
    if gap is None:
        return (
            "; the best choice of merged entries costs nothing or exceeds a budget, so there is no comparison"
        )
    return f"; the cost is {gap:+.1%} compared with the best choice of merged entries"
