"""What a plan holds and what it is expected to cost, as lines for people."""

from __future__ import annotations

from tercast.offline.run_scenario import Carried
from tercast.optimizer.evaluation.cost_model import Expected
from tercast.optimizer.evaluation.cover_evaluation import judge_covers

UNKNOWN = "unknown (no traffic)"


def entries_table(carried: Carried) -> list[str]:
    """A line for each switch: entries exact and installed, budget, and what it is expected to cost.

    Costs are means for each event, beyond those of exact tables; the last line has them for the network.
    Without past traffic they are told as unknown where tables are merged.
    """
    planner, expected = carried.planner, expected_cost(carried)
    installed, exact = planner.counts(), planner.exact_counts()
    rows = [["switch", "exact", "installed", "budget"]]
    for name, switch in planner.topology.switches.items():
        budget = "-" if switch.tcam_budget is None else str(switch.tcam_budget)
        rows.append([name, str(exact.get(name, 0)), str(installed.get(name, 0)), budget])
    if expected is not None:
        rows[0] += ["needless copies an event", "unwanted deliveries an event"]
        for row in rows[1:]:
            copies, unwanted = expected.by_switch, expected.unwanted_by_switch
            row += [f"{copies.get(row[0], 0.0):.4f}", f"{unwanted.get(row[0], 0.0):.4f}"]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows]
    return lines + _network(carried, expected)


def expected_cost(carried: Carried) -> Expected | None:
    """What the tables cost an event; None where nothing may be merged, or where there is no traffic.

    As a method expects it of events held back, where one has worked out all covers; else on all events.
    """
    if carried.method == "none" or not len(carried.traffic):
        return None
    result = carried.result
    if result is not None and not result.unmet:
        return result.expected
    return judge_covers(carried.planner, carried.planner.keeper.covers(), carried.traffic)


def _network(carried: Carried, expected: Expected | None) -> list[str]:
    method = carried.method
    if expected is not None:
        return [
            f"{method} expects, an event, {expected.copies:.4f} needless copies between switches and "
            f"{expected.unwanted:.4f} unwanted deliveries beyond those of exact tables{_gap(carried)}"
        ]
    if carried.planner.keeper.covers():
        return [f"{method}: needless copies and unwanted deliveries are {UNKNOWN}"]
    return []


def _gap(carried: Carried) -> str:
    """How far the cost is from that of the exact choice of merge points, where a method has been at work."""
    if carried.result is None:
        return ""
    gap = carried.result.optimality_gap
    if gap is None:
        return "; exact merge points cost nothing or hold no budget, so that there is no gap to them"
    return f"; the gap to exact merge points is {gap:+.1%}"
