"""Places where a switch may have a temporary coarse entry, and the links it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercast.aggregation.incremental.tree_rule import TreeRule
from tercast.errors import Refused
from tercast.eventspace.dz import WHOLE
from tercast.routing.switch_ports import PortMask, SwitchPorts
from tercast.tables.entries import Output

if TYPE_CHECKING:
    from tercast.planner.state import PlannerState
    from tercast.updates.update_plan import Permit, Trees


def permit_at(planner: PlannerState, switch: str) -> Permit:
    """Return a function that asks a planner's trees for the permitted links of a prefix.

    It permits no coarse entry at an unknown switch, or for a prefix that is not within one topic.
    """
    plans = {plan.topic.code: plan for plan in planner.all_plans}
    address = planner.registry.address
    site = planner.network.sites.get(switch)
    rules: dict[int, TreeRule] = {}

    def permit(dst: str) -> frozenset[int] | None:
        try:
            code, dz = address.parse_match(dst)
        except Refused:
            return None  # the prefix spans topics, or is not of this address plan
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
    """Return the prefixes that trees own, each with the links of its tree at a switch.

    None if the planner does not know the switch. An event stays on its tree if it uses only these links.
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
