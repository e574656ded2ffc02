"""Alarms of the source check: event packets at a port with the address of no host there.

Switches count these packets. An alarm reports the packets dropped at a port since its last alarm. Reported
counts are stored in the database, so neither a restart nor a second process reports them twice.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.network.models import Host, Switch
from controlplane.requestlog import checkpoints, outbox
from tercast.runtime.wording import quantity

ALARM_EVERY = timedelta(minutes=1)
"""Time between two alarms of one port; the next alarm includes the packets dropped meanwhile."""

REMEDY = (
    "Find the sender. If it is that host with another address, register the IP and MAC address that it sends"
    " from (page Network). If it is another host, register it at this port. Otherwise the sender forges"
    " events: disconnect the port"
)

_STATE = "spoofed packets"

Seen = dict[str, Any]
"""Of one port: reported `packets`, and the time of the report (`at`, None if never)."""


def report_spoofing(counters: Mapping[str, Any]) -> None:
    """Raise an alarm for each port that has dropped more packets than at its last alarm."""
    rows = {f"{row['dpid']}:{row['port']}": row for row in counters.get("sources", ())}
    before: dict[str, Seen] = checkpoints.recall(_STATE, {})
    if not rows and not before:
        return
    counted = {row["dpid"] for row in counters.get("tables", ())}
    after = {key: seen for key, seen in before.items() if key in rows or key.split(":")[0] not in counted}
    now = timezone.now()
    alarms: list[str] = []
    for key, row in rows.items():
        last = after.get(key, {"packets": 0, "at": None})
        after[key], more = _compared(last, int(row["dropped_packets"]), now)
        if more:
            alarms.append(_text(row["dpid"], int(row["port"]), more))
    if after == before:
        return
    with transaction.atomic():
        checkpoints.store(_STATE, after)
        for text in alarms:
            outbox.alarm(text)


def _compared(last: Seen, packets: int, now: datetime) -> tuple[Seen, int]:
    """Return the state to store and the packets of a due alarm; a smaller count started at 0."""
    base = last["packets"] if packets >= last["packets"] else 0
    is_due = last["at"] is None or now - datetime.fromisoformat(last["at"]) >= ALARM_EVERY
    if packets > base and is_due:
        return {"packets": packets, "at": now.isoformat()}, packets - base
    return {"packets": base, "at": last["at"]}, 0


def _text(dpid: str, port: int, packets: int) -> str:
    switch = Switch.objects.filter(dpid=dpid).first()
    name = dpid if switch is None else switch.name
    hosts = [] if switch is None else sorted(_hosts(switch, port))
    there = f"host {', '.join(hosts)}" if hosts else "no host"
    return (
        f"source check: switch {name} dropped {quantity(packets, 'event packet')} at port {port}, because "
        f"their source address is not registered there (registered: {there}). {REMEDY}"
    )


def _hosts(switch: Switch, port: int) -> Iterable[str]:
    """Return the names of the hosts that are attached at a port, including standby attachments."""
    here = {"switch": switch.name, "port": port}
    primary = Host.objects.filter(switch=switch, port=port).values_list("name", flat=True)
    others = Host.objects.exclude(standby=[]).values_list("name", "standby")
    return {*primary, *(name for name, standby in others if here in standby)}
