"""Discovery of links: probes out of every port, what comes back, and the events that follow."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from itertools import count
from secrets import randbits
from time import monotonic, time

from controller_app.clock import iso
from controller_app.discovery.adjacency import AdjacencyStep, LinkTurn, Neighbours, Pair
from controller_app.discovery.adjacency import Port as End
from controller_app.discovery.confirmed_topology import ConfirmedTopology
from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.openflow import lldp, messages
from controller_app.ryu_api import sleep
from controller_app.switch.connection import Connection, SwitchPort
from controller_app.switch.registry import SwitchRegistry

MISSED = 3.5
"""Periods without a probe after which a link counts as silent."""

MOST_FAULTS = 100
"""Ports with faulty probes that get an alarm each; further ones share an alarm."""

MOST_ABSENT = 10_000
"""Links of absent switches that are kept though nobody confirmed them. The oldest are lost first."""

LIFE_MASK = 0xFFFFFFFF
"""The bits that a probe has for the life of its port."""

WINDOW_PERIODS, WINDOW_LEAST = 2.0, 5.0
"""How long a probe counts after it was sent: so many periods, and at least so many seconds."""

_SUSPECT = {
    lldp.ProbeFault.UNSEALED: "has this system's form and no seal",
    lldp.ProbeFault.FORGED: "has a seal of another key: a host forges it, or another installation "
    "is connected",
    lldp.ProbeFault.STALE: "was sent too long ago, or by an earlier run of the controller: it was recorded",
    lldp.ProbeFault.REPLAYED: "came in here before: it was recorded",
}
"""The faults that an alarm reports. The others occur without anybody's doing."""

log = logging.getLogger(__name__)


class LinkProber:
    """Finds and watches links. Port status is the truth about them; probes find them.

    Args:
        period: Seconds between probes.
        turned: Called with a link and whether it is in use: found, and confirmed by the control plane.
        key: Secret of the installation that seals probes.
    """

    def __init__(
        self,
        registry: SwitchRegistry,
        events: EventRing,
        alarms: Alarms,
        period: float,
        *,
        turned: Callable[[Pair, bool], None],
        key: bytes,
    ) -> None:
        self._registry = registry
        self._events = events
        self._alarms = alarms
        self._period = period
        self._turned = turned
        self._key = key
        self._run = randbits(64)
        self._numbers = count(1)
        self._began = monotonic()
        self._span = max(WINDOW_PERIODS * period, WINDOW_LEAST)
        self._window = lldp.SealWindow(self._run, self._span)
        self._births = count(1)
        self._lives: dict[End, int] = {}
        self._answered_at: dict[End, float] = {}
        self._neighbours = Neighbours(MISSED * period)
        self._shared: frozenset[End] = frozenset()
        self._in_use: set[Pair] = set()
        self._unheard: dict[Pair, float] = {}
        self._unprobed: frozenset[Pair] = frozenset()
        self.topology = ConfirmedTopology()
        self.faults: Counter[lldp.ProbeFault] = Counter()

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

    def switch_gone(self, connection: Connection) -> None:
        """A switch left: keep its links, but only so many that nobody confirmed, and nothing of its ports."""
        for number in connection.ports:
            self._lives.pop((connection.dpid, number), None)
            self._answered_at.pop((connection.dpid, number), None)
        present = {one.dpid for one in self._registry}
        self._tell_all(self._neighbours.trim(self.topology.links, present, MOST_ABSENT))

    def port_up(self, connection: Connection, port: SwitchPort) -> None:
        """A port came up: whoever is behind it is looked for at once."""
        self.probe(connection, [port])

    def port_down(self, connection: Connection, number: int) -> None:
        """A port went down or away: its link is lost now."""
        self._forget((connection.dpid, number), "the port is down or gone")

    def packet_in(self, connection: Connection, number: int, frame: bytes) -> None:
        """Handle a frame that a switch punted; only fresh probes of this run count."""
        receiver = (connection.dpid, number)
        found = lldp.parse(self._key, frame)
        fault = found if isinstance(found, lldp.ProbeFault) else self._fault(found, connection, number)
        if fault is not None or isinstance(found, lldp.ProbeFault):
            self._refuse(fault or lldp.ProbeFault.FOREIGN, found, connection, number)
            return
        sender = (found.dpid, found.port)
        self._check_edge(sender, receiver)
        now = monotonic()
        if self._neighbours.hear(sender, receiver, now):
            self._tell_all(self._neighbours.join(now))
        elif not self._neighbours.answered(sender, receiver, now):
            self._answer(connection, number, now)

    def report_flood(self, connection: Connection, port: int, packets: int, *, alarms: bool) -> None:
        """Count frames of a port that were dropped by their header, and raise an alarm with `alarms`."""
        self.faults[lldp.ProbeFault.RATE] += packets
        if not alarms:
            return
        detail = (
            "more LLDP frames come in than the port's share; the excess is dropped. Links at other ports are "
            "not affected. Find the host that sends them, or disable the port"
        )
        self._alarms.sound("probe_flood", detail, LASTING, dpid=connection.name, port=port)

    def confirm(self, topology: ConfirmedTopology) -> None:
        """Accept what the control plane says: its links, and the ports that have hosts."""
        for dpid, port in self.topology.edges - topology.edges:
            self._alarms.clear("probe_at_edge", dpid=f"{dpid:016x}", port=port)
        self.topology = topology
        self._use()

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
                "confirmed": pair in self.topology.links,
                "edge": not self.topology.edges.isdisjoint(pair),
            }
            for pair, heard, silent in self._neighbours.links()
        ]

    def probe(self, connection: Connection, ports: list[SwitchPort]) -> None:
        """Sends a probe out of each port."""
        for port in ports:
            end = (connection.dpid, port.number)
            sent = round(monotonic() * 1000)
            if end not in self._lives:
                self._lives[end] = next(self._births) & LIFE_MASK
            probe = lldp.Probe(*end, self._lives[end], self._run, next(self._numbers), sent)
            frame = lldp.build(self._key, probe, bytes.fromhex(port.mac.replace(":", "")))
            connection.tell(messages.packet_out((port.number,), frame))

    def _fault(self, probe: lldp.Probe, connection: Connection, number: int) -> lldp.ProbeFault | None:
        """Return why a sealed probe does not count: its age, or a port that changed meanwhile."""
        receiver = (connection.dpid, number)
        fault = self._window.fault(probe, receiver, round(monotonic() * 1000))
        if fault is not None:
            return fault
        if (probe.dpid, probe.port) == receiver:
            return lldp.ProbeFault.REFLECTED
        sender = self._registry.find(probe.dpid)
        there = sender.ports.get(probe.port) if sender else None
        here = connection.ports.get(number)
        if there is None or here is None or not there.up or not here.up:
            return lldp.ProbeFault.OUTDATED
        return None if self._lives.get((probe.dpid, probe.port)) == probe.life else lldp.ProbeFault.OUTDATED

    def _refuse(
        self, fault: lldp.ProbeFault, found: lldp.Probe | lldp.ProbeFault, connection: Connection, number: int
    ) -> None:
        """Count a frame that counts for nothing, and report one that nobody sends by accident.

        What an earlier run sent may still arrive right after the start, and is no attempt at anything.
        """
        self.faults[fault] += 1
        early = monotonic() - self._began < self._span
        if (
            fault not in _SUSPECT
            or number not in connection.ports
            or (fault is lldp.ProbeFault.STALE and early)
        ):
            return
        sender = f" of {found.dpid:016x} port {found.port}" if isinstance(found, lldp.Probe) else ""
        detail = f"a discovery probe{sender} {_SUSPECT[fault]}; it counts for nothing"
        subject = {"dpid": connection.name, "port": number, "reason": fault.value}
        if not self._alarms.has_room("bad_probe", MOST_FAULTS, **subject):
            detail = f"port {number} of {connection.name}, one of many: {detail}"
            subject = {"dpid": "others", "reason": fault.value}
        self._alarms.sound("bad_probe", detail, LASTING, **subject)

    def _check_edge(self, sender: End, receiver: End) -> None:
        """Report a probe that comes in where the control plane has a host."""
        if receiver not in self.topology.edges:
            return
        detail = (
            f"a probe of {sender[0]:016x} port {sender[1]} came in at a port with a host: hosts relay "
            "probes, or the port is cabled to a switch; no link is made of it without approval"
        )
        self._alarms.sound("probe_at_edge", detail, LASTING, dpid=f"{receiver[0]:016x}", port=receiver[1])

    def _answer(self, connection: Connection, number: int, now: float) -> None:
        """Probes back at once, so that a new link need not wait for the period; not more often than that."""
        end = (connection.dpid, number)
        if now - self._answered_at.get(end, -self._period) >= self._period / 5:
            self._answered_at[end] = now
            self.probe(connection, [connection.ports[number]])

    def _forget(self, end: End, reason: str) -> None:
        self._lives.pop(end, None)
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
        self._report_unprobed()

    def _report_unprobed(self) -> None:
        """Raise an alarm for confirmed links between ports that are up over which no probe has come yet."""
        now, found = monotonic(), self._found()
        missing = {pair for pair in self.topology.links - found if all(map(self._is_up, pair))}
        self._unheard = {pair: self._unheard.get(pair, now) for pair in missing}
        patience = MISSED * self._period
        late = frozenset(pair for pair, since in self._unheard.items() if now - since >= patience)
        for pair in late - self._unprobed:
            detail = (
                "no probe has crossed this link since the controller began to watch it; it stays in use. "
                "Check that the cable ends where the topology says"
            )
            self._alarms.sound("link_unprobed", detail, **_ends_json(pair))
        for pair in self._unprobed - late:
            self._alarms.clear("link_unprobed", **_ends_json(pair))
        self._unprobed = late

    def _is_up(self, end: End) -> bool:
        connection = self._registry.find(end[0])
        port = connection.ports.get(end[1]) if connection else None
        return port is not None and port.up

    def _found(self) -> frozenset[Pair]:
        return frozenset(pair for pair, _, _ in self._neighbours.links())

    def _use(self) -> None:
        """Report the links that come into use or go out of it; one that is not confirmed is not in use."""
        now = self._found() & self.topology.links
        for pair in sorted(self._in_use - now):
            self._turn(pair, False)
        for pair in sorted(now - self._in_use):
            self._turn(pair, True)

    def _turn(self, pair: Pair, used: bool) -> None:
        if used != (pair in self._in_use):
            (self._in_use.add if used else self._in_use.discard)(pair)
            self._turned(pair, used)

    def _tell_all(self, steps: list[AdjacencyStep]) -> None:
        for step in steps:
            self._tell(step)

    def _tell(self, step: AdjacencyStep) -> None:
        ends = _ends_json(step.pair)
        if step.turn is LinkTurn.FOUND:
            self._events.emit("link_found", **ends)
        elif step.turn is LinkTurn.LOST:
            self._events.emit("link_lost", **ends, reason=step.reason)
            self._alarms.clear("link_silent", **ends)
        elif step.turn is LinkTurn.SILENT:
            detail = (
                "no probe crosses this link, though both ports are up. It stays in use: lost probes do not "
                "prove that events are lost. Check that it forwards; if it does not, set it down or remove it"
            )
            self._alarms.sound("link_silent", detail, **ends)
        else:
            self._alarms.clear("link_silent", **ends)
        if step.turn in (LinkTurn.FOUND, LinkTurn.LOST):
            log.info(f"link {step.turn.value}", extra={"fields": {**ends, "reason": step.reason}})
            self._turn(step.pair, step.turn is LinkTurn.FOUND and step.pair in self.topology.links)


def _ends_json(pair: Pair) -> dict[str, object]:
    (a, a_port), (b, b_port) = pair
    return {"a": f"{a:016x}", "a_port": a_port, "b": f"{b:016x}", "b_port": b_port}
