"""Check that a full table can be changed to the planned one, before a request is decided.

A full table of a switch without bundles changes entry by entry. If no order of such changes avoids loss of
events, the request fails because no entry is free. Changes of the network cannot fail: they are executed in
any case.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.deployment.session_cache import SessionCache
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import Switch
from controlplane.planning import confirmed_entries
from controlplane.planning.headroom import Headroom
from controlplane.planning.stepwise import Stepwise, without_bundles
from controlplane.requestlog.kinds import CAN_FAIL
from controlplane.requestlog.models import Request
from tercast.tables.entries import SwitchDiff


class InfeasibleUpdate(Exception):  # noqa: N818 - named by meaning
    """No lossless order of single changes leads from some switches' tables to the planned ones."""

    def __init__(self, switches: Sequence[str]) -> None:
        self.switches = tuple(switches)
        super().__init__(
            "the change would lose events, because these switches do not support bundles and their tables "
            f"are too full: {', '.join(switches)}; raise their budgets, or withdraw other subscriptions "
            "first"
        )


def check(
    cache: SessionCache, northbound: ControllerClient, rows: Sequence[Request], diffs: Sequence[SwitchDiff]
) -> None:
    """Raise `InfeasibleUpdate` if requests that may fail need a table without a lossless update."""
    diffs = [diff for diff in diffs if cache.budget(diff.switch) is not None]
    if not diffs or not any(row.kind in CAN_FAIL for row in rows):
        return
    known, clean = cache.switches(), cache.clean()
    tight = tight_tables(cache, northbound, [diff for diff in diffs if diff.switch in clean], known)
    if tight.stepwise is None:
        return
    headrooms, stepwise = tight.headrooms, tight.stepwise
    stuck = [diff.switch for diff in tight.full if stepwise.is_stuck(diff, headrooms[diff.switch].budget)]
    if stuck:
        raise InfeasibleUpdate(sorted(stuck))


@dataclass(frozen=True, slots=True)
class FullTables:
    """Free entries by switch, the changes of full tables, and the search for their single steps."""

    headrooms: dict[str, Headroom]
    full: list[SwitchDiff]
    stepwise: Stepwise | None


def tight_tables(
    cache: SessionCache,
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    known: Mapping[str, Switch],
) -> FullTables:
    """Find changes of full tables; only if there is one, ask the controller for bundle support."""
    headrooms = _headrooms_of(cache, diffs, known)
    full = [diff for diff in diffs if diff.switch in headrooms and headrooms[diff.switch].is_tight(diff)]
    stepwise = _stepwise_of(cache, northbound, [known[diff.switch] for diff in full]) if full else None
    return FullTables(headrooms, full, stepwise)


def _stepwise_of(
    cache: SessionCache, northbound: ControllerClient, full: Sequence[Switch]
) -> Stepwise | None:
    """Return the tables of switches without bundles; None if the controller does not answer."""
    try:
        slow = without_bundles(northbound.switches())
    except NorthboundError:
        return None
    tables = {switch.name: confirmed_entries.table(switch) for switch in full if switch.dpid in slow}
    return Stepwise(cache.state.planner, tables, {switch.name: switch.limit for switch in full})


def _headrooms_of(
    cache: SessionCache, diffs: Sequence[SwitchDiff], known: Mapping[str, Switch]
) -> dict[str, Headroom]:
    """Return the numbers of free entries in the tables of switches with a budget."""
    budgets = {diff.switch: cache.budget(diff.switch) for diff in diffs}
    return {
        name: Headroom(budget, cache.entries(known[name]))
        for name, budget in budgets.items()
        if budget is not None
    }
