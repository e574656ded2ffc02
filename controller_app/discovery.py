"""Discovery of links: probes out of every port, what comes back, and the events that follow."""

from __future__ import annotations

import logging
from collections.abc import Callable
from secrets import token_bytes
from time import monotonic, time

from controller_app import lldp, openflow
from controller_app.alarms import Alarms
from controller_app.connection import Connection, Port
from controller_app.events import Events
from controller_app.neighbours import Neighbours, Pair, Step, Turn
from controller_app.neighbours import Port as End
from controller_app.ryu_api import sleep
from controller_app.switches import Registry
from controller_app.times import iso

MISSED = 3.5
"""Periods without a probe after which a link counts as silent."""

log = logging.getLogger(__name__)


class Discovery:
    """Keeps the picture of links. Port status is the truth about them; probes find them and watch them.

    `turned` is told of each link that is found (true) or lost.
    """

    def __init__(
        self,
        registry: Registry,
        events: Events,
        alarms: Alarms,
        period: float,
        turned: Callable[[Pair, bool], None],
    ) -> None:
        self._registry = registry
        self._events = events
        self._alarms = alarms
        self._period = period
        self._turned = turned
        self._key = token_bytes(32)
        self._lives: dict[End, int] = {}
        self._answered_at: dict[End, float] = {}
        self._neighbours = Neighbours(MISSED * period)
        self._shared: frozenset[End] = frozenset()
        self.foreign_frames = 0

    def run(self) -> None:
        """Probes and looks, for ever."""
        while True:
            for connection in self._registry:
                self.probe(connection, connection.up_ports())
            self._settle()
            sleep(self._period)

    def switch_connected(self, connection: Connection) -> None:
        """A switch came: ports that it lost, or that are down, end their links; the rest is probed."""
        up = {port.number for port in connection.up_ports()}
        for end in {end for pair, _, _ in self._neighbours.links() for end in pair}:
            if end[0] == connection.dpid and end[1] not in up:
                self._forget(end, "the port is down or gone")
        self._neighbours.excuse(connection.dpid, monotonic())
        self.probe(connection, connection.up_ports())

    def port_up(self, connection: Connection, port: Port) -> None:
        """A port came up: whoever is behind it is looked for at once."""
        self.probe(connection, [port])

    def port_down(self, connection: Connection, number: int) -> None:
        """A port went down or away: its link is lost now."""
        self._forget((connection.dpid, number), "the port is down or gone")

    def packet_in(self, connection: Connection, number: int, frame: bytes) -> None:
        """A frame that a switch punted; only probes of this run, from a port as it is now, count."""
        probe = lldp.parse(self._key, frame)
        if probe is None:
            self.foreign_frames += 1
            return
        sender, receiver = (probe.dpid, probe.port), (connection.dpid, number)
        if not self._credible(probe, connection, number) or sender == receiver:
            return
        now = monotonic()
        if self._neighbours.hear(sender, receiver, now):
            self._tell_all(self._neighbours.join(now))
        elif not self._neighbours.answered(sender, receiver, now):
            self._answer(connection, number, now)

    def links_json(self) -> list[dict[str, object]]:
        """The northbound's form of the links."""
        offset = time() - monotonic()
        present = {connection.dpid for connection in self._registry}
        return [
            {
                **_ends_json(pair),
                "last_seen": iso(heard + offset),
                "silent": silent,
                "watched": {pair[0][0], pair[1][0]} <= present,
            }
            for pair, heard, silent in self._neighbours.links()
        ]

    def probe(self, connection: Connection, ports: list[Port]) -> None:
        """Sends a probe out of each port."""
        for port in ports:
            end = (connection.dpid, port.number)
            probe = lldp.Probe(*end, self._lives.setdefault(end, 1))
            frame = lldp.build(self._key, probe, bytes.fromhex(port.mac.replace(":", "")))
            connection.tell(openflow.packet_out((port.number,), frame))

    def _credible(self, probe: lldp.Probe, connection: Connection, number: int) -> bool:
        """Both ports must be there and up now, and the sender in the life in which it sent."""
        sender = self._registry.find(probe.dpid)
        there = sender.ports.get(probe.port) if sender else None
        here = connection.ports.get(number)
        if there is None or here is None or not there.up or not here.up:
            return False
        return self._lives.get((probe.dpid, probe.port)) == probe.life

    def _answer(self, connection: Connection, number: int, now: float) -> None:
        """Probes back at once, so that a new link need not wait for the period; not more often than that."""
        end = (connection.dpid, number)
        if now - self._answered_at.get(end, -self._period) >= self._period / 5:
            self._answered_at[end] = now
            self.probe(connection, [connection.ports[number]])

    def _forget(self, end: End, reason: str) -> None:
        self._lives[end] = self._lives.get(end, 1) + 1
        self._answered_at.pop(end, None)
        self._tell_all(self._neighbours.forget(end, reason))

    def _settle(self) -> None:
        watched = [connection.dpid for connection in self._registry]
        self._tell_all(self._neighbours.settle(monotonic(), watched))
        ambiguous = self._neighbours.ambiguous
        for dpid, port in ambiguous - self._shared:
            detail = "several other ports answer at this one; it is not used as a link"
            self._alarms.sound("shared_segment", detail, dpid=f"{dpid:016x}", port=port)
        for dpid, port in self._shared - ambiguous:
            self._alarms.clear("shared_segment", dpid=f"{dpid:016x}", port=port)
        self._shared = ambiguous

    def _tell_all(self, steps: list[Step]) -> None:
        for step in steps:
            self._tell(step)

    def _tell(self, step: Step) -> None:
        ends = _ends_json(step.pair)
        if step.turn is Turn.FOUND:
            self._events.emit("link_found", **ends)
        elif step.turn is Turn.LOST:
            self._events.emit("link_lost", **ends, reason=step.reason)
            self._alarms.clear("link_silent", **ends)
        elif step.turn is Turn.SILENT:
            detail = "probes no longer come through, though both ports are up; nothing was moved"
            self._alarms.sound("link_silent", detail, **ends)
        else:
            self._alarms.clear("link_silent", **ends)
        if step.turn in (Turn.FOUND, Turn.LOST):
            log.info(f"link {step.turn.value}", extra={"fields": {**ends, "reason": step.reason}})
            self._turned(step.pair, step.turn is Turn.FOUND)


def _ends_json(pair: Pair) -> dict[str, object]:
    (a, a_port), (b, b_port) = pair
    return {"a": f"{a:016x}", "a_port": a_port, "b": f"{b:016x}", "b_port": b_port}
