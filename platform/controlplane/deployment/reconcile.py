"""Reconciliation of switches: read a table back, compare it with the plan, send the change.

It serves switches that reconnected, switches whose last change was not confirmed, workers that were killed,
and operators. A switch that cannot be read is unreachable; its entries are unknown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from controlplane.common import fault_injection
from controlplane.deployment import capacity, confirmations, spare_entry, switch_sync, table_push
from controlplane.deployment.capacity import Connected
from controlplane.deployment.entry_codec import HostBook, repair
from controlplane.deployment.session_cache import SessionCache
from controlplane.deployment.table_push import PushResult
from controlplane.network.controller_client import ControllerClient, ControllerReading, NorthboundError
from controlplane.network.models import Switch
from controlplane.planning.headroom import Headroom, Headrooms
from controlplane.planning.stepwise import BUNDLES, Stepwise
from controlplane.requestlog import outbox
from tercast.tables.entries import Entry, SwitchDiff


@dataclass(frozen=True, slots=True)
class TableReading:
    """A switch that answered: its entries, the difference from the plan, and its bundle support.

    `reported_limit` is the number of content entries that the switch reports it can store, next to those of
    others.
    """

    switch: Switch
    found: tuple[Entry, ...]
    diff: SwitchDiff
    bundles: bool
    reported_limit: int | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing has been confirmed over this connection."""
        return self.switch.epoch != self.switch.reconciled_epoch


def run(cache: SessionCache, northbound: ControllerClient) -> bool:
    """Repair the switches that are due; return whether there were any."""
    known = switch_sync.switches()
    names = switch_sync.due(known, timezone.now())
    if not names:
        return False
    cache.sources.is_stale = True
    names |= {
        name for name in cache.unconfirmed.without_room() if name in known
    }  # together they may find an order
    due = [known[name] for name in sorted(names)]
    asked, silent = _read_tables(cache, northbound, due)
    found = {one.switch.name: one.found for one in asked}
    spare_entry.log_reserves(cache, [(one.switch.name, one.bundles) for one in asked if one.is_new], found)
    capacity.log_capacities(cache, [_connected(one) for one in asked if one.is_new])
    results = _send(cache, northbound, asked, known)
    fault_injection.point("reconcile:push")
    confirmations.repaired(cache, [(results[one.switch.name], one.found) for one in asked], silent)
    for one in asked:
        capacity.learn(cache, results[one.switch.name], cache.counts[one.switch.name])
    confirmations.finish(cache)
    return True


def _connected(one: TableReading) -> Connected:
    return Connected(one.switch.name, one.switch.epoch, one.reported_limit, one.switch.tcam_budget)


def _read_tables(
    cache: SessionCache, northbound: ControllerClient, switches: Sequence[Switch]
) -> tuple[list[TableReading], dict[str, str]]:
    """Return the tables of the switches, and by name the reasons why others could not be read."""
    asked: list[TableReading] = []
    silent: dict[str, str] = {}
    book = HostBook.read()
    try:
        rows = {row["dpid"]: row for row in northbound.switches()}
    except NorthboundError as error:
        return [], {switch.name: str(error) for switch in switches}
    for switch in switches:
        row = rows.get(switch.dpid)
        if row is None:
            state = "is not connected" if switch.epoch else "has never connected"
            silent[switch.name] = f"switch {switch.name} {state}"
            continue
        try:
            reading = northbound.read_back(switch.dpid)
        except NorthboundError as error:
            silent[switch.name] = str(error)
            continue
        switch.epoch = int(row["epoch"])
        found = tuple(map(book.entry, reading.entries))
        diff = repair(switch.name, found, cache.table(switch.name))
        bundles = BUNDLES in row.get("capabilities", ())
        asked.append(TableReading(switch, found, diff, bundles, _reported_space(row, reading)))
    return asked, silent


def _reported_space(row: Mapping[str, Any], reading: ControllerReading) -> int | None:
    """Return the reported capacity, minus entries that are not content or cannot be read."""
    capacity = row.get("features", {}).get("capacity")
    others = reading.reserved + reading.foreign + len(reading.unreadable)
    return None if capacity is None else max(0, int(capacity) - others)


def _send(
    cache: SessionCache,
    northbound: ControllerClient,
    asked: Sequence[TableReading],
    known: Mapping[str, Switch],
) -> dict[str, PushResult]:
    """Send all differences in one change, and separately those that need free entries first.

    These are the switches that refused an entry before, and full switches that support no change in one step
    and for which no steps are found.
    """
    names = {one.switch.name for one in asked}
    silent = [name for name in cache.unconfirmed if name not in names and not cache.unconfirmed.refused(name)]
    headrooms = _free_entries(cache, asked)
    tables = {one.switch.name: one.found for one in asked if not one.bundles}
    stepwise = Stepwise(cache.state.planner, tables)
    stuck = [one.diff for one in asked if _is_stuck(one, headrooms, stepwise)]
    full = [one.diff for one in asked if cache.unconfirmed.refused(one.switch.name) or one.diff in stuck]
    willing = [one.diff for one in asked if one.diff not in full]
    results = table_push.push_holding(
        northbound, willing, known, cache.unconfirmed, silent, headrooms=headrooms, stepwise=stepwise
    )
    _report_stuck([diff.switch for diff in stuck])
    for diff in full:  # free entries first: an entry fits only after another one is removed
        steps = (SwitchDiff(diff.switch, removed=diff.removed), replace(diff, removed=()))
        parts = [
            table_push.push_holding(northbound, [step], known, cache.unconfirmed, silent)[0] for step in steps
        ]
        results.append(table_push.joined(*parts))
    return {result.switch.name: result for result in results}


def _is_stuck(one: TableReading, headrooms: Headrooms, stepwise: Stepwise) -> bool:
    headroom = headrooms.get(one.switch.name)
    return (
        headroom is not None and headroom.is_tight(one.diff) and stepwise.is_stuck(one.diff, headroom.budget)
    )


def _report_stuck(names: Sequence[str]) -> None:
    """Report tables in which events may be lost for a moment."""
    for name in names:
        outbox.alarm(
            f"switch {name} does not support bundles and its table is full: the change removes old entries "
            "before it adds new ones, so events may be lost for a moment"
        )


def _free_entries(cache: SessionCache, asked: Sequence[TableReading]) -> dict[str, Headroom]:
    """Return the numbers of free entries of switches with a budget."""
    budgets = [(one.switch.name, cache.budget(one.switch.name), len(one.found)) for one in asked]
    return {name: Headroom(budget, there) for name, budget, there in budgets if budget is not None}
