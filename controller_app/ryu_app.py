"""The Ryu app: unpacks the events of Ryu and passes them to the controller."""

from __future__ import annotations

from itertools import chain
from time import monotonic
from typing import Any

from controller_app.controller import Controller
from controller_app.errors import SwitchError
from controller_app.openflow.bundles import ERRORS, ONF, Control
from controller_app.openflow.flow_mods import EntryKind
from controller_app.ryu_api import (
    DEAD_DISPATCHER,
    HANDSHAKE_DISPATCHER,
    MAIN_DISPATCHER,
    MORE,
    OF10,
    OF13,
    PORT_DELETED,
    AppBase,
    RyuEvent,
    error_names,
    events,
    handles,
)
from controller_app.switch.connection import Connection

EXPERIMENTER_ERROR = 0xFFFF
ALL_STATES = [HANDSHAKE_DISPATCHER, MAIN_DISPATCHER, DEAD_DISPATCHER]


class TercastApp(AppBase):  # type: ignore[misc]
    """Receives the events of Ryu.

    It supports OpenFlow 1.0 only until the handshake names the switch, which is then refused.
    """

    OFP_VERSIONS = (OF10, OF13)

    def __init__(self, *args: Any, controller: Controller, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._controller = controller

    @handles(events.EventOFPStateChange, ALL_STATES)
    def on_state(self, event: RyuEvent) -> None:
        """Handle a new state of a channel."""
        if event.state == HANDSHAKE_DISPATCHER:
            self._controller.on_greeting(event.datapath)
        elif event.state == MAIN_DISPATCHER:
            self._controller.on_ready(event.datapath)
        elif event.state == DEAD_DISPATCHER:
            self._controller.on_gone(event.datapath)

    @handles(events.EventOFPHello, HANDSHAKE_DISPATCHER)
    def on_hello(self, event: RyuEvent) -> None:
        """Handle a hello with the versions of a peer: a list, or the highest one."""
        elements = getattr(event.msg, "elements", None) or []
        listed = frozenset(chain.from_iterable(element.versions for element in elements))
        versions = listed or frozenset(range(1, event.msg.version + 1))
        self._controller.on_versions(event.msg.datapath, versions)

    @handles(events.EventOFPErrorMsg, MAIN_DISPATCHER)
    def on_error(self, event: RyuEvent) -> None:
        """Handle an error; a switch that omits the request's id may still quote the request."""
        if connection := self._heard(event):
            type_, code = _error_names(event.msg)
            quoted = bytes(event.msg.data or b"")
            xid = event.msg.xid or int.from_bytes(quoted[4:8], "big")
            failure = SwitchError(type_, code, f"the switch answered {type_}/{code}")
            self._controller.on_failure(connection, xid, failure)

    @handles(events.EventONFBundleCtrlMsg, MAIN_DISPATCHER)
    def on_bundle(self, event: RyuEvent) -> None:
        """Handle the reply to a request for a bundle."""
        if connection := self._heard(event):
            reply = Control(event.msg.bundle_id, event.msg.type)
            connection.on_part(event.msg.xid, reply, more=False)

    @handles(events.EventOFPBarrierReply, MAIN_DISPATCHER)
    def on_barrier(self, event: RyuEvent) -> None:
        """Handle the reply to a barrier: the switch has processed all earlier messages."""
        if connection := self._heard(event):
            connection.on_part(event.msg.xid, None, more=False)

    @handles(events.EventOFPSwitchFeatures, MAIN_DISPATCHER)
    def on_features(self, event: RyuEvent) -> None:
        """Handle the features of a switch."""
        if connection := self._heard(event):
            connection.on_part(event.msg.xid, event.msg, more=False)

    @handles(events.EventOFPFlowStatsReply, MAIN_DISPATCHER)
    def on_flow_stats(self, event: RyuEvent) -> None:
        """Handle entries of a table."""
        self._on_part(event)

    @handles(events.EventOFPAggregateStatsReply, MAIN_DISPATCHER)
    def on_aggregate_stats(self, event: RyuEvent) -> None:
        """Handle a number of entries."""
        self._on_part(event)

    @handles(events.EventOFPMeterConfigStatsReply, MAIN_DISPATCHER)
    def on_meter_configs(self, event: RyuEvent) -> None:
        """Handle meters."""
        self._on_part(event)

    @handles(events.EventOFPPortStatsReply, MAIN_DISPATCHER)
    def on_port_stats(self, event: RyuEvent) -> None:
        """Handle counters of ports."""
        self._on_part(event)

    @handles(events.EventOFPDescStatsReply, MAIN_DISPATCHER)
    def on_description(self, event: RyuEvent) -> None:
        """Handle the description of a switch."""
        self._on_part(event)

    @handles(events.EventOFPTableFeaturesStatsReply, MAIN_DISPATCHER)
    def on_table_features(self, event: RyuEvent) -> None:
        """Handle descriptions of tables."""
        self._on_part(event)

    @handles(events.EventOFPGroupFeaturesStatsReply, MAIN_DISPATCHER)
    def on_group_features(self, event: RyuEvent) -> None:
        """Handle the description of groups."""
        self._on_part(event)

    @handles(events.EventOFPMeterFeaturesStatsReply, MAIN_DISPATCHER)
    def on_meter_features(self, event: RyuEvent) -> None:
        """Handle the description of meters."""
        self._on_part(event)

    @handles(events.EventOFPPortDescStatsReply, MAIN_DISPATCHER)
    def on_port_descriptions(self, event: RyuEvent) -> None:
        """Handle descriptions of ports here, because their order with port status matters."""
        if connection := self._heard(event):
            for port in event.msg.body:
                connection.on_port(port.port_no, port.name, port.hw_addr, port.config, port.state)
            self._on_part(event)

    @handles(events.EventOFPPortStatus, MAIN_DISPATCHER)
    def on_port_status(self, event: RyuEvent) -> None:
        """Handle a changed port."""
        connection = self._heard(event)
        if connection is None:
            return
        port = event.msg.desc
        before = connection.ports.get(port.port_no)
        if event.msg.reason == PORT_DELETED:
            connection.ports.pop(port.port_no, None)
        else:
            connection.on_port(port.port_no, port.name, port.hw_addr, port.config, port.state)
        self._controller.on_port(connection, before, port.port_no)

    @handles(events.EventOFPPacketIn, MAIN_DISPATCHER)
    def on_packet_in(self, event: RyuEvent) -> None:
        """Handle a punted packet."""
        if connection := self._heard(event):
            in_port = event.msg.match.get("in_port")
            if in_port is not None and connection.ready:
                signal = event.msg.cookie == EntryKind.PUNT.cookie
                part = self._controller.signalling if signal else self._controller.discovery
                part.packet_in(connection, in_port, bytes(event.msg.data))

    @handles(events.EventOFPEchoReply, MAIN_DISPATCHER)
    def on_echo(self, event: RyuEvent) -> None:
        """Handle the reply to an echo request."""
        self._heard(event)

    def _on_part(self, event: RyuEvent) -> None:
        if connection := self._heard(event):
            more = bool(event.msg.flags & MORE)
            connection.on_part(event.msg.xid, event.msg.body, more)

    def _heard(self, event: RyuEvent) -> Connection | None:
        connection = self._controller.connection(event.msg.datapath)
        if connection is not None:
            connection.heard_at = monotonic()
        return connection


def _error_names(message: Any) -> tuple[str, str]:
    """Return the names of an error's type and code; errors of bundles are experimenter errors."""
    if message.type != EXPERIMENTER_ERROR:
        return error_names(message.type, message.code or 0)
    if message.experimenter == ONF and message.exp_type in ERRORS:
        return "bundle_failed", ERRORS[message.exp_type]
    return f"experimenter_{message.experimenter:#x}", str(message.exp_type)
