"""Expected cost of covers, before and after a change, in the form of the API's answer.

Like `compute`, this module uses only the core library.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tercast.optimizer.evaluation.cost_model import Expected
from tercast.optimizer.evaluation.cover_evaluation import judge_covers
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.planner.planner import Planner


@dataclass(frozen=True, slots=True)
class TablesAndCost:
    """Tables of a planner at a moment: their numbers of entries, and their cost."""

    entries: Mapping[str, int]
    cost: Expected | None

    @classmethod
    def of(cls, planner: Planner, judges: Traffic) -> "TablesAndCost":
        """Return the present state; the cost is None without events to measure it."""
        cost = judge_covers(planner, planner.budget_enforcer.covers(), judges) if len(judges) else None
        return cls(planner.counts(), cost)


def results(
    planner: Planner, before: TablesAndCost, after: TablesAndCost, covered: Iterable[str], **more: Any
) -> dict[str, Any]:
    """Return the results as the API shows them; `covered` are switches to show without a budget."""
    exact = planner.exact_counts()
    budgets = {name: switch.tcam_budget for name, switch in planner.topology.switches.items()}
    names = {name for name, budget in budgets.items() if budget is not None} | set(covered)
    return {
        "needless": _pair(before.cost, after.cost, "copies"),
        "unwanted": _pair(before.cost, after.cost, "unwanted"),
        **more,
        "switches": [
            {
                "switch": name,
                "tcam_budget": budgets[name],
                "exact": exact.get(name, 0),
                "before": before.entries.get(name, 0),
                "after": after.entries.get(name, 0),
                "needless_before": _at(before.cost, "by_switch", name),
                "needless_after": _at(after.cost, "by_switch", name),
                "unwanted_before": _at(before.cost, "unwanted_by_switch", name),
                "unwanted_after": _at(after.cost, "unwanted_by_switch", name),
            }
            for name in sorted(names)
        ],
    }


def _pair(before: Expected | None, after: Expected | None, name: str) -> dict[str, float | None]:
    return {
        "before": None if before is None else getattr(before, name),
        "after": None if after is None else getattr(after, name),
    }


def _at(cost: Expected | None, what: str, switch: str) -> float | None:
    return None if cost is None else getattr(cost, what).get(switch, 0.0)
