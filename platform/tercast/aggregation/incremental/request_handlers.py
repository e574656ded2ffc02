"""Effects of requests on installed tables: budgets, policy, and covers of other methods."""

from __future__ import annotations

from typing import Protocol

from tercast.aggregation.incremental.budget_enforcer import BudgetChange, BudgetEnforcer, Marked
from tercast.aggregation.incremental.cover_keys import check_covers
from tercast.aggregation.incremental.planned_tables import PlannedTables
from tercast.errors import Refused, shown
from tercast.requests.model import SetBudget, SetCapacity, SetReserve
from tercast.requests.outcome import Outcome, no_room
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.runtime.wording import quantity
from tercast.tables.covers import NetworkCovers


class BudgetedTables(PlannedTables, Protocol):
    """Planned tables that are kept within budgets."""

    budget_enforcer: BudgetEnforcer


def settle(
    planner: BudgetedTables, marked: Marked, registration: Registration
) -> tuple[BudgetChange, tuple[str, ...]]:
    """Update installed tables after a registration; return the change, and switches over budget."""
    budget_enforcer = planner.budget_enforcer
    if registration.kind == ADVERTISEMENT:
        plan = planner.plan(registration.topic)
        step = budget_enforcer.settle(marked, registration.topic, plan.keys(registration.dz))
    else:
        step = budget_enforcer.settle(marked)
    return step, budget_enforcer.exceeded(step) if planner.enforce_budgets else ()


def set_budget(planner: BudgetedTables, request: SetBudget) -> Outcome:
    """Change a budget; a lower one is met immediately by merging, or refused."""
    return _resize(planner, request, "tcam_budget")


def set_reserve(planner: BudgetedTables, request: SetReserve) -> Outcome:
    """Change the reserve of a budget; a larger one is met immediately, or refused."""
    return _resize(planner, request, "entries")


def set_capacity(planner: BudgetedTables, request: SetCapacity) -> Outcome:
    """Record the measured capacity of a switch; it is a fact, so it is never refused.

    If the policy allows merging, entries are merged immediately to meet a smaller capacity, if possible.
    """
    planner.registry.change(request)
    planner.network.read_budgets()
    planner.budget_enforcer.make_room([planner.network.sites[request.switch]])
    return Outcome(ok=True, failed_switches=planner.over_budget())


def _resize(planner: BudgetedTables, request: SetBudget | SetReserve, field: str) -> Outcome:
    """Apply `request`; revert it if budgets are enforced and merging cannot make the table fit."""
    before = planner.topology.switches.get(request.switch)
    planner.registry.change(request)
    network, budget_enforcer = planner.network, planner.budget_enforcer
    network.read_budgets()
    site = network.sites[request.switch]
    budget = planner.topology.switches[request.switch].usable_budget
    step = budget_enforcer.make_room([site])
    lowered = before is not None and _is_lower(budget, before.usable_budget)
    held = budget_enforcer.lays or planner.enforce_budgets
    if before is not None and held and lowered and budget is not None and site.installed > budget:
        least = step.least.get(site.id)
        budget_enforcer.take_back(step)
        planner.topology.switches[before.id] = before
        network.read_budgets()
        count = quantity(site.installed, "entry", "entries")
        why = f'it has {count}, and the aggregation method "none" does not merge entries'
        size = quantity(budget, "entry", "entries")
        left = size if field == "tcam_budget" else f"{size} (the budget minus the reserve)"
        detail = f"a budget of {left} is too small for {shown(site.id)}: {least or why}"
        return Outcome(False, Refused((field,), "budget", detail, budget), failed_switches=(site.id,))
    return Outcome(ok=True, failed_switches=planner.over_budget())


def set_aggregation(planner: BudgetedTables, method: str) -> Outcome:
    """Set the policy; if it allows LA, exceeded budgets are met immediately."""
    planner.budget_enforcer.method = method
    if planner.is_stale:  # nothing is registered, so all tables are empty
        return Outcome(ok=True)
    planner.budget_enforcer.make_room()
    return Outcome(ok=True, failed_switches=planner.over_budget())


def aggregate(planner: BudgetedTables, method: str, covers: NetworkCovers) -> Outcome:
    """Install other covers, or change nothing if budgets would be exceeded."""
    check_covers(covers, planner.topology.switches, planner.topics, planner.depth)
    step = planner.budget_enforcer.replace(covers)
    over = planner.budget_enforcer.exceeded(step)
    if over:
        planner.budget_enforcer.take_back(step)
        return no_room(planner.topology, method, over, step.least)
    return Outcome(ok=True)


def _is_lower(budget: int | None, before: int | None) -> bool:
    return budget is not None and (before is None or budget < before)
