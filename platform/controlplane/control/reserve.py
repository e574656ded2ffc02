"""A switch without bundles keeps an entry of its budget free; what it knows is seen when it connects."""

from collections.abc import Iterable

from django.db import transaction

from controlplane.control.hot import Hot
from controlplane.control.log import Entry, submit
from controlplane.control.models import FINAL_STATES, Request

RESERVE = 1
"""The fewest with which a merge can give way to its parts, and parts to their merge."""


def ask(hot: Hot, connected: Iterable[tuple[str, bool]]) -> None:
    """Log what has changed at switches that have connected anew, by name and whether they know bundles."""
    wanted = {name: 0 if bundles else RESERVE for name, bundles in connected}
    known = hot.state.planner.topology.switches
    changed = {
        name: entries
        for name, entries in wanted.items()
        if entries != (known[name].reserve if name in known else 0)
    }
    if not changed:
        return
    waiting = Request.objects.filter(kind=_OP).exclude(state__in=FINAL_STATES)
    asked = {payload["switch"]: payload["entries"] for payload in waiting.values_list("payload", flat=True)}
    with transaction.atomic():
        submit(
            [
                Entry({"op": _OP, "switch": name, "entries": entries})
                for name, entries in sorted(changed.items())
                if asked.get(name) != entries
            ]
        )


_OP = "set_reserve"
