"""Alarms about refused or disconnected peers, and about missing resources."""

from __future__ import annotations

from typing import Any

from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.switch.connection import Connection, peer_text

MOST_UNTRUSTED = 100
"""Untrusted peers, by address and reason, that have their own alarm; the others share one."""


class PeerAlarms:
    """Raises the alarms that concern a connection and not a switch in service."""

    def __init__(self, alarms: Alarms) -> None:
        self._alarms = alarms

    def report_crowd(self, host: str, reason: str) -> None:
        """Raise an alarm for a peer that was refused because there are too many."""
        detail = f"a peer was refused: {reason}"
        self._alarms.sound("too_many_connections", detail, LASTING, host=host)

    def report_shortage(self, part: str, reason: str) -> None:
        """Raise an alarm for a part of the controller that has no free descriptor or memory.

        The part tries again.
        """
        remedy = "increase the controller's limit of open files (LimitNOFILE, `ulimit -n`) or its memory"
        self._alarms.sound("resources_exhausted", f"{part}: {reason}; {remedy}", LASTING, part=part)

    def report_broken(self, host: str, detail: str) -> None:
        """Raise an alarm for a connection that was closed because of a message of its peer."""
        self._alarms.sound("broken_connection", f"a peer was disconnected: {detail}", LASTING, host=host)

    def report_untrusted(self, address: tuple[Any, ...], reason: str) -> None:
        """Raise an alarm for a peer that was refused because its certificate is bad or missing."""
        detail = f"a switch at {peer_text(address)} was refused: {reason}"
        subject = {"host": address[0], "reason": reason}
        if not self._alarms.has_room("untrusted_switch", MOST_UNTRUSTED, **subject):
            subject = {"host": "others", "reason": "see the detail"}
        self._alarms.sound("untrusted_switch", detail, LASTING, **subject)

    def report_version(self, **subject: object) -> None:
        """Raise an alarm for a peer that was refused because it does not support OpenFlow 1.3."""
        detail = "a switch without OpenFlow 1.3 was refused; configure the switch to use OpenFlow13"
        self._alarms.sound("openflow_version", detail, LASTING, **subject)

    def report_bad_dpid(self, connection: Connection) -> None:
        """Raise an alarm for a switch that was refused because its datapath id is 0."""
        detail = f"a switch at {connection.address} with datapath id 0 was refused; give it another id"
        self._alarms.sound("bad_dpid", detail, LASTING, dpid=connection.name)

    def report_unproved(self, connection: Connection, reason: str) -> None:
        """Raise an alarm for a switch whose certificate does not prove its datapath id."""
        detail = f"a switch at {connection.address} with this datapath id was refused: {reason}"
        self._alarms.sound("unproved_switch", detail, LASTING, dpid=connection.name)

    def report_duplicate(self, connection: Connection, incumbent: Connection) -> None:
        """Raise an alarm for a second switch with a used datapath id that was refused."""
        detail = (
            f"a second switch with this datapath id, at {connection.address}, was refused; "
            f"the first switch, at {incumbent.address}, stays connected. Give each switch its own id"
        )
        self._alarms.sound("duplicate_dpid", detail, LASTING, dpid=connection.name)

    def report_takeover(self, connection: Connection, former: Connection) -> None:
        """Raise an alarm for a second switch with a used datapath id that replaced the first."""
        better = connection.proof.is_bound and not former.proof.is_bound
        reason = "its certificate is bound to this id" if better else "the first no longer answers"
        detail = (
            f"a second switch with this datapath id, at {connection.address}, replaced the first, "
            f"at {former.address}: {reason}. Give each switch its own id"
        )
        self._alarms.sound("duplicate_dpid", detail, LASTING, dpid=connection.name)
