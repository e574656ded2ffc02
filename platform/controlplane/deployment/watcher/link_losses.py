"""Packets that a link lost: sent by one end and not received by the other.

The counters of both ends are read at different times, so packets in transit look lost while traffic flows.
When a link is down and nothing is sent into it any more, the difference is exact. It is counted from the time
when the link was first seen, or when its counters started again.
"""

from typing import Any

from django.db import transaction

from controlplane.network.models import Link
from controlplane.requestlog import outbox

PacketTotals = tuple[int, int]
"""Packets that both ends have sent, and packets that both have received."""

_seen: dict[int, PacketTotals] = {}


def check_losses(counters: dict[str, Any]) -> None:
    """Compare the counters of links' ends with the last ones, and report losses."""
    ports = {(row["dpid"], row["port"]): row for row in counters.get("ports", [])}
    for link in Link.objects.select_related("a", "b").filter(removal=None):
        ends = [ports.get(end) for end in ((link.a.dpid, link.a_port), (link.b.dpid, link.b_port))]
        rows = [row for row in ends if row is not None]
        if len(rows) == 2:
            _check_link(
                link, (sum(row["tx_packets"] for row in rows), sum(row["rx_packets"] for row in rows))
            )


def _check_link(link: Link, totals: PacketTotals) -> None:
    before = _seen.get(link.pk)
    _seen[link.pk] = totals
    gap = totals[0] - totals[1]
    if link.gap is None or (before is not None and (totals[0] < before[0] or totals[1] < before[1])):
        Link.objects.filter(pk=link.pk).update(gap=gap)
    elif not link.up and before == totals and gap > link.gap:
        _report(link, gap - link.gap, gap)


def _report(link: Link, lost: int, gap: int) -> None:
    total = link.lost + lost
    with transaction.atomic():
        Link.objects.filter(pk=link.pk).update(gap=gap, lost=total)
        outbox.emit("link", {"id": link.pk, "up": link.up, "lost": total})
        ends = f"{link.a.name}:{link.a_port} to {link.b.name}:{link.b_port}"
        outbox.alarm(f"link {ends} went down: {lost} packets that were sent into it are lost")
