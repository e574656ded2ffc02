"""Alarms of the source check: event packets that entered at a host port and that no host there sent.

Switches count them; an alarm of a port names what was dropped since the last one. What was counted is
remembered in the database, so that neither a restart nor a second process counts it twice.
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
"""Time between two alarms of one port; what is dropped meanwhile is in the next one."""

REMEDY = (
    "Find out what sends there. If it is that host with another address, register the IP and MAC address"
    " that it sends from (page Network); if it is another host, register it at this port. Otherwise somebody"
    " forges events: disconnect the port"
)

_STATE = "spoofed packets"

Seen = dict[str, Any]
"""Of one port: `packets` that were told, and when (`at`, None: never)."""


def see(counters: Mapping[str, Any]) -> None:
    """Raise an alarm of each port where more was dropped than at the last one."""
    rows = {f"{row['dpid']}:{row['port']}": row for row in counters.get("sources", ())}
    before: dict[str, Seen] = checkpoints.recall(_STATE, {})
    if not rows and not before:
        return
    counted = {row["dpid"] for row in counters.get("tables", ())}
    after = {key: seen for key, seen in before.items() if key in rows or key.split(":")[0] not in counted}
    now = timezone.now()
    alarms: list[str] = []
    for key, row in rows.items():
        told = after.get(key, {"packets": 0, "at": None})
        after[key], more = _compared(told, int(row["dropped_packets"]), now)
        if more:
            alarms.append(_text(row["dpid"], int(row["port"]), more))
    if after == before:
        return
    with transaction.atomic():
        checkpoints.keep(_STATE, after)
        for text in alarms:
            outbox.alarm(text)


def _compared(told: Seen, packets: int, now: datetime) -> tuple[Seen, int]:
    """Return what to remember, and the packets of an alarm that is due; a smaller count began at 0."""
    base = told["packets"] if packets >= told["packets"] else 0
    is_due = told["at"] is None or now - datetime.fromisoformat(told["at"]) >= ALARM_EVERY
    if packets > base and is_due:
        return {"packets": packets, "at": now.isoformat()}, packets - base
    return {"packets": base, "at": told["at"]}, 0


def _text(dpid: str, port: int, packets: int) -> str:
    switch = Switch.objects.filter(dpid=dpid).first()
    name = dpid if switch is None else switch.name
    hosts = [] if switch is None else sorted(_hosts(switch, port))
    there = f"host {', '.join(hosts)}" if hosts else "no registered host"
    return (
        f"source check: {quantity(packets, 'event packet', 'event packets')} with the source address of no"
        f" host there dropped at switch {name}, port {port} ({there}). {REMEDY}"
    )


def _hosts(switch: Switch, port: int) -> Iterable[str]:
    """Return the names of the hosts that are attached at a port, also of those on standby there."""
    here = {"switch": switch.name, "port": port}
    primary = Host.objects.filter(switch=switch, port=port).values_list("name", flat=True)
    others = Host.objects.exclude(standby=[]).values_list("name", "standby")
    return {*primary, *(name for name, standby in others if here in standby)}
