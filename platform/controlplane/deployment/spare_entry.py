"""A free entry in the budget of each switch without bundles.

The support for bundles is known when a switch connects. A full table frees the entry in steps that lose
nothing. If there are no such steps, the switch waits for a free entry. This happens if no entry is free and
no entry's events could take another path inside their trees.
"""

from collections.abc import Iterable, Mapping

from django.db import transaction

from controlplane.deployment.session_cache import SessionCache
from controlplane.network.models import Switch
from controlplane.planning.stepwise import steps_between
from controlplane.requestlog import outbox
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.models import FINAL_STATES, Request
from tercast.planner.planner import Planner
from tercast.requests.kinds import SET_RESERVE
from tercast.tables.entries import Table

RESERVE = 1
"""Smallest reserve with which a merge can be replaced by its parts, and parts by their merge."""


def log_reserves(
    cache: SessionCache, connected: Iterable[tuple[str, bool]], tables: Mapping[str, Table]
) -> None:
    """Log the changed reserves of switches that have reconnected.

    Args:
        connected: Switches by name, and whether they support bundles.
        tables: Present tables of the switches.
    """
    known = cache.state.planner.topology.switches
    wanted = {name: 0 if bundles else RESERVE for name, bundles in connected}
    cache.unreserved -= wanted.keys()
    changed = {
        name: entries
        for name, entries in wanted.items()
        if entries != (known[name].reserve if name in known else 0)
    }
    late = {name for name, entries in changed.items() if entries and _would_lose(cache, name, tables[name])}
    for name in sorted(late):
        outbox.alarm(_LATE.format(name))
    cache.unreserved |= late
    _log({name: entries for name, entries in changed.items() if name not in late})


def ask_late(cache: SessionCache, known: Mapping[str, Switch]) -> None:
    """Log the reserves of tables that were full when they connected, and have a free entry now."""
    for name in sorted(cache.unreserved):
        budget = cache.budget(name)
        if name not in known or budget is None or cache.entries(known[name]) < budget:
            cache.unreserved.discard(name)
            if budget is not None:
                _log({name: RESERVE})


def _would_lose(cache: SessionCache, name: str, table: Table) -> bool:
    """Whether no steps lead from a full table to free entries; tried on a copy of the planner."""
    budget = cache.budget(name)
    if budget is None or len(table) < budget:
        return False
    planner = Planner.restore(cache.state.planner.snapshot())
    if not planner.apply({"op": SET_RESERVE, "switch": name, "entries": RESERVE}).ok:
        return False
    return steps_between(planner, name, table, planner.table(name), max(budget, len(table))) is None


def _log(changed: Mapping[str, int]) -> None:
    """Log reserves that are not requested already."""
    if not changed:
        return
    waiting = Request.objects.filter(kind=SET_RESERVE).exclude(state__in=FINAL_STATES)
    asked = {payload["switch"]: payload["entries"] for payload in waiting.values_list("payload", flat=True)}
    with transaction.atomic():
        submit(
            [
                LogEntry({"op": SET_RESERVE, "switch": name, "entries": entries})
                for name, entries in sorted(changed.items())
                if asked.get(name) != entries
            ]
        )


_LATE = (
    "switch {} does not support bundles and its table is full: some changes of this table lose events until "
    "one entry is free. Raise the budget of the switch, or withdraw a subscription"
)
