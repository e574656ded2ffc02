"""The load of links, for the live stream: packets and bytes sent into a link by both ends, as totals.

Totals (since the switches counted from zero), not differences: a page that missed an event, or joins late,
gets the right rate from any two of them.
"""

import time
from typing import Any

from django.utils import timezone

from controlplane.network.models import Link
from controlplane.requestlog import outbox

PERIOD_SECONDS = 2.0
REPEAT_SECONDS = 10.0
"""An unchanged load is told again after this time, for pages that joined meanwhile."""

_last: dict[str, Any] = {"looked": float("-inf"), "told": float("-inf"), "links": None}


def due() -> bool:
    """Whether it is time to look at the counters again."""
    return bool(time.monotonic() - _last["looked"] >= PERIOD_SECONDS)


def see(counters: dict[str, Any]) -> None:
    """Emit a `load` event from the controller's counters, unless it would say the same as the last one."""
    now = time.monotonic()
    _last["looked"] = now
    links = _totals({(row["dpid"], row["port"]): row for row in counters.get("ports", [])})
    if links == _last["links"] and now - _last["told"] < REPEAT_SECONDS:
        return
    outbox.emit("load", {"links": links, "at": timezone.now().isoformat()})
    _last.update(told=now, links=links)


def _totals(ports: dict[tuple[str, int], dict[str, Any]]) -> dict[str, dict[str, int]]:
    """By link id; a link is left out when neither of its ends was counted."""
    totals = {}
    for pk, *ends in Link.objects.values_list("pk", "a__dpid", "a_port", "b__dpid", "b_port"):
        rows = [ports[end] for end in ((ends[0], ends[1]), (ends[2], ends[3])) if end in ports]
        if rows:
            totals[str(pk)] = {
                "packets": sum(row["tx_packets"] for row in rows),
                "bytes": sum(row["tx_bytes"] for row in rows),
            }
    return totals
