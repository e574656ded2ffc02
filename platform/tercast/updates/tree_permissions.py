"""Where a switch may have a coarser entry for a while, and which links that may send to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercast.aggregation.tree_rule import TreeRule
from tercast.errors import Refused
from tercast.eventspace.dz import WHOLE
from tercast.routing.switch_ports import PortMask, SwitchPorts
from tercast.tables.entries import Output

if TYPE_CHECKING:
    from tercast.planner.state import PlannerState
    from tercast.updates.update_plan import Permit, Trees


def permit_at(planner: PlannerState, switch: str) -> Permit:
    """Asks the trees of a planner: nowhere at a switch that it lacks, nor beyond the topics that it has."""
    plans = {plan.topic.code: plan for plan in planner.all_plans}
    address = planner.registry.address
    site = planner.network.sites.get(switch)
    rules: dict[int, TreeRule] = {}

    def permit(dst: str) -> frozenset[int] | None:
        try:
            code, dz = address.parse_match(dst)
        except Refused:
            return None  # it spans topics, or is none of this plan's
        plan = plans.get(code)
        if plan is None or site is None or dz.bit_length() - 1 > plan.order.depth:
            return None
        if code not in rules:
            rules[code] = TreeRule(plan, planner.network, site)
        common = site.links
        for mask in rules[code].edges(plan.order.key(dz)).values():
            common &= mask
        return _ports(site, common)

    return permit


def trees_at(planner: PlannerState, switch: str) -> Trees | None:
    """What trees own, each with the links that it has at a switch; None at one that the planner lacks.

    An event stays on its tree if it is sent over these alone.
    """
    site = planner.network.sites.get(switch)
    if site is None:
        return None
    address, found = planner.registry.address, dict[str, frozenset[int]]()
    for plan in planner.all_plans:
        order = plan.order
        for key, links in TreeRule(plan, planner.network, site).edges(order.key(WHOLE)).items():
            found[address.match(plan.topic.code, order.dz(key))] = _ports(site, links)
    return found


def _ports(site: SwitchPorts, links: PortMask) -> frozenset[int]:
    return frozenset(
        action.port
        for action in site.actions(links)
        if isinstance(action, Output) and isinstance(action.port, int)
    )
