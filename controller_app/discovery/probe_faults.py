"""Discovery frames that do not count: counters by reason, and alarms."""

from __future__ import annotations

from collections import Counter

from controller_app.discovery.probe_issuer import RefusedProbe
from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.openflow import lldp
from controller_app.switch.connection import Connection

MOST_FAULTS = 100
"""Ports with faulty probes that get an alarm each; further ones share an alarm."""

_SUSPECT = {
    lldp.ProbeFault.UNSEALED: "has the form of a probe of this controller, but no seal",
    lldp.ProbeFault.FORGED: "has a seal of another key: a host forges probes, or a switch of another "
    "installation is connected",
    lldp.ProbeFault.STALE: (
        "is too old, or is from an earlier run of the controller: a host has recorded it and sent it again"
    ),
    lldp.ProbeFault.REPLAYED: "arrived again at this port: a host has recorded it and replayed it",
}
"""Faults that raise an alarm. The other faults occur in normal operation."""


class ProbeFaults:
    """Counts faulty frames by reason, and raises alarms.

    Probes of an earlier run may still arrive right after the start; they raise no alarm.

    Args:
        settled_at: The monotonic time after which probes of an earlier run are suspicious.
    """

    def __init__(self, alarms: Alarms, settled_at: float) -> None:
        self._alarms = alarms
        self._settled_at = settled_at
        self.counts: Counter[lldp.ProbeFault] = Counter()

    def report(self, found: RefusedProbe, connection: Connection, number: int, now: float) -> None:
        """Count a frame that arrived at a port, and raise an alarm if it is suspicious."""
        fault, sender = found
        self.counts[fault] += 1
        early = now < self._settled_at
        if (
            fault not in _SUSPECT
            or number not in connection.ports
            or (fault is lldp.ProbeFault.STALE and early)
        ):
            return
        name = f" of {sender[0]:016x} port {sender[1]}" if sender else ""
        detail = f"a discovery probe{name} {_SUSPECT[fault]}; it is ignored"
        subject = {"dpid": connection.name, "port": number, "reason": fault.value}
        if not self._alarms.has_room("bad_probe", MOST_FAULTS, **subject):
            detail = f"port {number} of {connection.name}: {detail}. Many other ports have the same problem"
            subject = {"dpid": "others", "reason": fault.value}
        self._alarms.sound("bad_probe", detail, LASTING, **subject)

    def report_flood(self, connection: Connection, port: int, packets: int, *, alarms: bool) -> None:
        """Count frames of a port that were dropped by their header; with `alarms`, raise an alarm."""
        self.counts[lldp.ProbeFault.RATE] += packets
        if not alarms:
            return
        detail = (
            "the port receives more LLDP frames than its limit; the excess is dropped. Links at other ports "
            "are not affected. Find the host that sends them, or disable the port"
        )
        self._alarms.sound("probe_flood", detail, LASTING, dpid=connection.name, port=port)
