"""Alarms about peers that the controller refused or cut off, and about resources that it lacks for them."""

from __future__ import annotations

from typing import Any

from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.switch.connection import Connection, peer_text

MOST_UNTRUSTED = 100
"""Addresses and reasons of untrusted peers that have an alarm of their own; the others share one."""


class PeerAlarms:
    """Raises the alarms that are about a connection rather than about a switch in service."""

    def __init__(self, alarms: Alarms) -> None:
        self._alarms = alarms

    def report_crowd(self, host: str, reason: str) -> None:
        """A peer was refused because there are too many."""
        detail = f"a peer was refused: {reason}"
        self._alarms.sound("too_many_connections", detail, LASTING, host=host)

    def report_shortage(self, part: str, reason: str) -> None:
        """No descriptor or memory is free for a part of the controller, which tries again."""
        remedy = "raise the limit of open files (LimitNOFILE, `ulimit -n`) or memory of the controller"
        self._alarms.sound("resources_exhausted", f"{part}: {reason}; {remedy}", LASTING, part=part)

    def report_broken(self, host: str, detail: str) -> None:
        """A connection ended because of something that its peer sent."""
        self._alarms.sound("broken_connection", f"a peer was cut off: {detail}", LASTING, host=host)

    def report_untrusted(self, address: tuple[Any, ...], reason: str) -> None:
        """A peer was refused because of its certificate, or because it has none."""
        detail = f"a switch at {peer_text(address)} was refused: {reason}"
        subject = {"host": address[0], "reason": reason}
        if not self._alarms.has_room("untrusted_switch", MOST_UNTRUSTED, **subject):
            subject = {"host": "others", "reason": "see the detail"}
        self._alarms.sound("untrusted_switch", detail, LASTING, **subject)

    def report_version(self, **subject: object) -> None:
        """A peer was refused because it does not speak OpenFlow 1.3."""
        detail = "a switch that does not speak OpenFlow 1.3 was refused; set its protocols to OpenFlow13"
        self._alarms.sound("openflow_version", detail, LASTING, **subject)

    def report_bad_dpid(self, connection: Connection) -> None:
        """A switch was refused because its datapath id is 0."""
        detail = f"a switch with datapath id 0 from {connection.address} was refused"
        self._alarms.sound("bad_dpid", detail, LASTING, dpid=connection.name)

    def report_unproved(self, connection: Connection, reason: str) -> None:
        """A switch was refused because its certificate does not prove its datapath id."""
        detail = f"a switch with this datapath id, from {connection.address}, was refused: {reason}"
        self._alarms.sound("unproved_switch", detail, LASTING, dpid=connection.name)

    def report_duplicate(self, connection: Connection, incumbent: Connection) -> None:
        """A second switch with a datapath id was refused."""
        detail = (
            f"a second switch with this datapath id, from {connection.address}, was refused; "
            f"the first, from {incumbent.address}, stays"
        )
        self._alarms.sound("duplicate_dpid", detail, LASTING, dpid=connection.name)

    def report_takeover(self, connection: Connection, former: Connection) -> None:
        """A second switch with a datapath id took over from the first."""
        better = connection.proof.is_bound and not former.proof.is_bound
        reason = "its certificate is the bound one" if better else "the first no longer answers"
        detail = (
            f"a second switch with this datapath id, from {connection.address}, took over from the first, "
            f"from {former.address}: {reason}"
        )
        self._alarms.sound("duplicate_dpid", detail, LASTING, dpid=connection.name)
