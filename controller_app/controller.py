"""The parts of the controller, and how each message of a switch acts on them."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Any

from controller_app.control_messages.handler import Signalling
from controller_app.discovery.prober import LinkProber
from controller_app.errors import RequestRejected, SwitchError, Unreachable
from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.monitoring.metrics import Metrics
from controller_app.monitoring.peer_alarms import PeerAlarms
from controller_app.monitoring.port_counters import PortCounters
from controller_app.openflow import messages
from controller_app.programming.programmer import Programmer
from controller_app.resource_shortage import run_forever
from controller_app.ryu_api import OF10, deadline, sleep, spawn
from controller_app.settings import Settings
from controller_app.source_check.rules import SourceCheck
from controller_app.state_metrics import StateCollector
from controller_app.switch import handshake
from controller_app.switch.admission import Admission
from controller_app.switch.answer_bounds import AnswerBudget
from controller_app.switch.connection import Connection
from controller_app.switch.datapath_claims import Claims
from controller_app.switch.datapath_proof import Proofs, UnprovedDatapath
from controller_app.switch.handshake_timer import HandshakeTimer
from controller_app.switch.message_guard import Overrun
from controller_app.switch.packet_in_limits import PacketOrigin
from controller_app.switch.registry import SwitchRegistry

SET_UP, HANDSHAKE = 2, 2
"""Limits for the set-up of a switch and for its handshake, as multiples of the time-out for an answer."""

QUIET = 5.0
"""Seconds of silence after which a switch gets an echo request."""

log = logging.getLogger(__name__)


class Controller:
    """Adds and removes the connections of switches; the parts do everything else."""

    def __init__(self, settings: Settings, proofs: Proofs) -> None:
        self.settings = settings
        self._proofs = proofs
        self.admission = Admission(settings.most.within_descriptors())
        self.answers = AnswerBudget()
        self.registry = SwitchRegistry()
        self.events = EventRing()
        self.alarms = Alarms(self.events)
        self.peer_alarms = PeerAlarms(self.alarms)
        self.metrics = Metrics()
        self.programmer = Programmer(self.registry, self.metrics)
        self.signalling = Signalling(self.registry, self.alarms, settings.families)
        self.source_check = SourceCheck(self.registry, self.alarms, settings.families)
        self.discovery = LinkProber(
            self.registry,
            self.events,
            self.alarms,
            settings.probe_interval,
            on_use_changed=self.signalling.link_use_changed,
            key=settings.discovery_key,
        )
        self.counters = PortCounters(
            self.registry, settings.poll_interval, settings.families, self.source_check.read_dropped
        )
        self.metrics.register(
            StateCollector(
                self.registry, self.programmer, self.discovery, self.alarms, self.signalling, self.counters
            )
        )
        self._claims = Claims(settings.reply_timeout)
        self._connections: dict[Any, Connection] = {}
        self._handshakes = HandshakeTimer(HANDSHAKE * settings.reply_timeout)
        self._pending: set[Any] = set()

    def start(self) -> None:
        """Start the loops: probes, readings of counters, checks of connections."""
        loops = {"probes": self.discovery.run, "polls": self.counters.run, "connections": self._watch}
        for name, loop in loops.items():
            spawn(run_forever, loop, name, self.peer_alarms.report_shortage)

    def stop(self) -> None:
        """Close every connection."""
        for datapath, connection in list(self._connections.items()):
            connection.close("the controller ends")
            datapath.socket.close()

    def connection(self, datapath: Any) -> Connection | None:
        """Return the connection over which a message came, or None if no switch is in service on it."""
        return self._connections.get(datapath)

    def on_greeting(self, datapath: Any) -> None:
        """Start the time limit for the handshake of a new peer."""
        self._handshakes.begin(datapath)

    def on_versions(self, datapath: Any, versions: frozenset[int]) -> None:
        """Handle a peer's hello: raise an alarm if it offers neither 1.3 nor only 1.0.

        A peer that offers only 1.0 completes its handshake, so its alarm has its datapath id. The OpenFlow
        library cuts off all others before they send one.
        """
        if messages.VERSION not in versions and versions != {OF10}:
            self.peer_alarms.report_version(host=datapath.address[0])

    def on_ready(self, datapath: Any) -> None:
        """Handle the end of a handshake: accept the switch or refuse it."""
        self._handshakes.end(datapath)
        dpid = datapath.id
        if datapath.ofproto.OFP_VERSION != messages.VERSION:
            self.peer_alarms.report_version(dpid=f"{dpid:016x}")
            spawn(datapath.close)
            return
        settings = self.settings
        connection = Connection(
            datapath,
            dpid,
            self.registry.next_epoch(),
            settings.reply_timeout,
            bounds=settings.bounds,
            shared=self.answers,
        )
        if self._is_proved(connection, datapath):
            self._pending.add(datapath)
            spawn(self._claim, datapath, connection)
        else:
            spawn(datapath.close)

    def _is_proved(self, connection: Connection, datapath: Any) -> bool:
        """Whether the switch may have its datapath id, as far as its certificate proves it."""
        if not connection.dpid:
            self.peer_alarms.report_bad_dpid(connection)
            return False
        try:
            connection.proof = self._proofs.check(connection.dpid, datapath.socket.certificate)
        except UnprovedDatapath as error:
            self.peer_alarms.report_unproved(connection, str(error))
            return False
        return True

    def _claim(self, datapath: Any, connection: Connection) -> None:
        """Accept a switch, unless another connection has its datapath id and answers."""
        incumbent = self.registry.holder(connection.dpid)
        if incumbent is not None and not self._claims.may_displace(connection, incumbent):
            self._pending.discard(datapath)
            self.peer_alarms.report_duplicate(connection, incumbent)
            datapath.close()
            return
        if datapath not in self._pending:
            return  # the peer disconnected meanwhile
        self._pending.discard(datapath)
        current = self.registry.claim(connection)
        if current is not None:
            self.peer_alarms.report_takeover(connection, current)
            self._drop(current, f"a new connection from {connection.address} replaced this one")
            self.registry.claim(connection)
        self._connections[datapath] = connection
        datapath.socket.handshake_done(connection)
        self.admission.greeted(datapath.socket.ticket)
        self._set_up(connection)

    def on_gone(self, datapath: Any) -> None:
        """Remove a connection that ended."""
        self._handshakes.end(datapath)
        self._pending.discard(datapath)
        connection = self._connections.pop(datapath, None)
        if connection is None:
            return
        was_ready = connection.ready
        connection.on_closed(datapath.socket.broken or f"switch {connection.name} disconnected")
        self._release(connection, was_ready)

    def on_port(self, connection: Connection, before: Any, number: int) -> None:
        """Handle a port status; `before` is the port as it was known."""
        if not connection.ready:
            return
        after = connection.ports.get(number)
        was_up, is_up = bool(before and before.up), bool(after and after.up)
        if was_up and not is_up:
            self.events.emit("port_down", dpid=connection.name, port=number, removed=after is None)
            self.discovery.port_down(connection, number)
        elif after is not None and is_up and not was_up:
            self.events.emit("port_up", dpid=connection.name, port=number)
            self.discovery.port_up(connection, after)
            self.signalling.port_changed((connection.dpid, number))
        if before is not None and after is None:
            connection.packet_ins.forget(number)
            self.signalling.port_gone((connection.dpid, number))
        if (before is None) != (after is None):
            self.source_check.port_changed((connection.dpid, number))

    def on_failure(self, connection: Connection, xid: int, failure: SwitchError) -> None:
        """Handle an error message; raise an alarm if no caller waits for it any more."""
        self.metrics.failed(connection.name, failure)
        what = connection.on_failure(xid, failure)
        if what is not None:
            detail = f"{what}: refused after the confirmation: {failure.type}/{failure.code}"
            self.alarms.sound("late_error", detail, LASTING, dpid=connection.name)

    def _set_up(self, connection: Connection) -> None:
        """Read the features of a new switch, install its reserved entries and report it."""
        try:
            limit = SET_UP * self.settings.bounds.seconds
            with deadline(limit, Overrun(f"it took more than {limit:g} s")):
                handshake.prepare(connection, self.settings.families, self.settings.bundles)
                self.signalling.prepare(connection)
                self.source_check.prepare(connection)
        except (Unreachable, RequestRejected, Overrun) as error:
            if connection.closed is None:
                detail = f"the set-up failed and the connection was closed: {error}"
                self.alarms.sound("setup_failed", detail, LASTING, dpid=connection.name)
            self._drop(connection, "set-up failed")
            return
        if connection.closed is not None:
            return
        connection.ready = True
        self.metrics.connected(connection.name)
        self.alarms.clear("setup_failed", dpid=connection.name)
        for problem in connection.problems:
            self.alarms.sound("switch_problem", problem, dpid=connection.name, problem=problem)
        self.events.emit("switch_connected", dpid=connection.name, epoch=connection.epoch)
        log.info("switch connected", extra={"fields": {"dpid": connection.name, "from": connection.address}})
        self.discovery.switch_connected(connection)

    def _drop(self, connection: Connection, reason: str) -> None:
        was_ready = connection.ready
        connection.close(reason)
        self._release(connection, was_ready)

    def _release(self, connection: Connection, was_ready: bool) -> None:
        if not self.registry.release(connection) or not was_ready:
            return
        self.metrics.gone(connection.name)
        self.counters.forget(connection)
        self.signalling.switch_gone(connection)
        self.discovery.switch_gone(connection)
        for problem in connection.problems:
            self.alarms.clear("switch_problem", dpid=connection.name, problem=problem)
        reason = connection.closed
        self.events.emit("switch_gone", dpid=connection.name, epoch=connection.epoch, reason=reason)
        log.warning("switch disconnected", extra={"fields": {"dpid": connection.name, "reason": reason}})

    def _watch(self) -> None:
        """Each second: end late handshakes, send echo requests to quiet switches, end silent ones."""
        while True:
            sleep(1.0)
            now = monotonic()
            self.alarms.sweep()
            self._handshakes.end_overdue()
            for connection in self.registry.claimed():
                self._report_floods(connection)
                self._check_life(connection, now - connection.heard_at)

    def _report_floods(self, connection: Connection) -> None:
        """Report the ports whose packets the guard dropped in the last second."""
        for (port, origin), packets in connection.packet_ins.take_dropped().items():
            if origin is PacketOrigin.SIGNAL:
                self.signalling.report_flood(connection, port, packets)
            else:
                self.discovery.report_flood(connection, port, packets, alarms=origin is PacketOrigin.PROBE)

    def _check_life(self, connection: Connection, silence: float) -> None:
        if silence > QUIET + 2 * self.settings.reply_timeout:
            self._drop(connection, f"silent for {silence:.0f} seconds")
        elif silence > QUIET:
            connection.send_if_idle(messages.echo())
