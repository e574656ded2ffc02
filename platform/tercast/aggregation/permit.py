"""Where a switch may have a coarser entry for a while, and which links that may send to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tercast.aggregation.rule import Rule
from tercast.errors import Refused
from tercast.tables import Output

if TYPE_CHECKING:
    from tercast.aggregation.steps import Permit
    from tercast.planned_network import PlannedNetwork


def permit_at(planner: PlannedNetwork, switch: str) -> Permit:
    """Asks the trees of a planner: nowhere at a switch that it lacks, nor beyond the topics that it has."""
    codes = {topic.code: name for name, topic in planner.topics.items()}
    address = planner.registry.address
    site = planner.network.sites.get(switch)
    rules: dict[str, Rule] = {}

    def permit(dst: str) -> frozenset[int] | None:
        try:
            code, dz = address.parse_match(dst)
        except Refused:
            return None  # it spans topics, or is none of this plan's
        name = codes.get(code)
        if name is None or site is None:
            return None
        plan = planner.plan(name)
        if dz.bit_length() - 1 > plan.order.depth:
            return None
        if name not in rules:
            rules[name] = Rule(plan, planner.network, site)
        common = site.links
        for mask in rules[name].edges(plan.order.key(dz)).values():
            common &= mask
        return frozenset(
            action.port
            for action in site.actions(common)
            if isinstance(action, Output) and isinstance(action.port, int)
        )

    return permit
