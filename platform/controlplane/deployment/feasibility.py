"""The way from the table that a switch has to the planned one, looked for before a request is decided.

A full table of a switch without bundles changes entry by entry. A request to which no such way leads without
losing events fails, as one for which there is no room. Changes of the network cannot fail: they are carried
out all the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.deployment import switch_sync
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
    """No order of single changes leads from the tables of some switches to those that were planned."""

    def __init__(self, switches: Sequence[str]) -> None:
        self.switches = tuple(switches)
        super().__init__(
            f"the tables of these switches, which know no bundles, are too full to change entry by entry to"
            f" what is asked for without losing events: {', '.join(switches)}; raise their budgets, or"
            f" withdraw something first"
        )


def check(
    hot: SessionCache, northbound: ControllerClient, rows: Sequence[Request], diffs: Sequence[SwitchDiff]
) -> None:
    """Raise `InfeasibleUpdate` where requests that may fail need a table that no lossless update leads to."""
    diffs = [diff for diff in diffs if hot.budget(diff.switch) is not None]
    if not diffs or not any(row.kind in CAN_FAIL for row in rows):
        return
    known = switch_sync.switches()
    clean = switch_sync.clean(known)
    tight = tight_tables(hot, northbound, [diff for diff in diffs if diff.switch in clean], known)
    if tight.stepwise is None:
        return
    room, stepwise = tight.room, tight.stepwise
    stuck = [diff.switch for diff in tight.full if stepwise.is_stuck(diff, room[diff.switch].budget)]
    if stuck:
        raise InfeasibleUpdate(sorted(stuck))


@dataclass(frozen=True, slots=True)
class Tight:
    """Room in tables by switch, the changes of those that are full, and how these may be stepped through."""

    room: dict[str, Headroom]
    full: list[SwitchDiff]
    stepwise: Stepwise | None


def tight_tables(
    hot: SessionCache, northbound: ControllerClient, diffs: Sequence[SwitchDiff], known: Mapping[str, Switch]
) -> Tight:
    """Where changes meet full tables; the controller is asked about bundles only where any is."""
    room = _room_of(hot, diffs, known)
    full = [diff for diff in diffs if diff.switch in room and room[diff.switch].is_tight(diff)]
    stepwise = _stepwise_of(hot, northbound, [known[diff.switch] for diff in full]) if full else None
    return Tight(room, full, stepwise)


def _stepwise_of(hot: SessionCache, northbound: ControllerClient, full: Sequence[Switch]) -> Stepwise | None:
    """The tables of those that know no bundles; None when the controller does not say which."""
    try:
        slow = without_bundles(northbound.switches())
    except NorthboundError:
        return None
    tables = {switch.name: confirmed_entries.table(switch) for switch in full if switch.dpid in slow}
    return Stepwise(hot.state.planner, tables, {switch.name: switch.limit for switch in full})


def _room_of(
    hot: SessionCache, diffs: Sequence[SwitchDiff], known: Mapping[str, Switch]
) -> dict[str, Headroom]:
    """The room in the tables of the switches, where they have a budget."""
    budgets = {diff.switch: hot.budget(diff.switch) for diff in diffs}
    return {
        name: Headroom(budget, hot.entries(known[name]))
        for name, budget in budgets.items()
        if budget is not None
    }
