"""Load of links for the live stream: total packets and bytes that both ends sent into it.

The values are totals since the switches started to count, not differences. So a page that missed an event, or
connects later, can calculate the right rate from any two values.
"""

import time
from typing import Any

from django.utils import timezone

from controlplane.network.models import Link
from controlplane.requestlog import outbox

PERIOD_SECONDS = 2.0
REPEAT_SECONDS = 10.0
"""Seconds after which an unchanged load is sent again, for pages that connected meanwhile."""

_last: dict[str, Any] = {"looked": float("-inf"), "sent": float("-inf"), "links": None}


def due() -> bool:
    """Whether it is time to read the counters again."""
    return bool(time.monotonic() - _last["looked"] >= PERIOD_SECONDS)


def see(counters: dict[str, Any]) -> None:
    """Emit a `load` event from the controller's counters, unless it equals the last event."""
    now = time.monotonic()
    _last["looked"] = now
    links = _totals({(row["dpid"], row["port"]): row for row in counters.get("ports", [])})
    if links == _last["links"] and now - _last["sent"] < REPEAT_SECONDS:
        return
    outbox.emit("load", {"links": links, "at": timezone.now().isoformat()})
    _last.update(sent=now, links=links)


def _totals(ports: dict[tuple[str, int], dict[str, Any]]) -> dict[str, dict[str, int]]:
    """Return totals by link id; a link is omitted if neither of its ends was counted."""
    totals = {}
    for pk, *ends in Link.objects.values_list("pk", "a__dpid", "a_port", "b__dpid", "b_port"):
        rows = [ports[end] for end in ((ends[0], ends[1]), (ends[2], ends[3])) if end in ports]
        if rows:
            totals[str(pk)] = {
                "packets": sum(row["tx_packets"] for row in rows),
                "bytes": sum(row["tx_bytes"] for row in rows),
            }
    return totals
