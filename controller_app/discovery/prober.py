"""Discovery of links: probes out of every port, and the events that result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from time import monotonic, time

from controller_app.clock import iso
from controller_app.discovery.adjacency import Adjacency, AdjacencyStep, PortPair
from controller_app.discovery.adjacency import PortId as End
from controller_app.discovery.confirmed_topology import ConfirmedTopology
from controller_app.discovery.link_reports import LinkReports, ends_json
from controller_app.discovery.probe_faults import ProbeFaults
from controller_app.discovery.probe_issuer import ProbeIssuer, RefusedProbe
from controller_app.monitoring.alarms import LASTING, Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.openflow import lldp, messages
from controller_app.ryu_api import sleep
from controller_app.switch.connection import Connection, SwitchPort
from controller_app.switch.registry import SwitchRegistry

MISSED = 3.5
"""Periods without a probe after which a link is silent."""

MOST_ABSENT = 10_000
"""Unconfirmed links of absent switches that are kept. Beyond this number, the oldest are lost first."""

WINDOW_PERIODS, WINDOW_LEAST = 2.0, 5.0
"""Time for which a probe counts: the first value in periods, but at least the second in seconds."""


class LinkProber:
    """Finds and watches links. Probes find a link; only a port status ends it immediately.

    Args:
        period: Seconds between probes.
        on_use_changed: Called with a link and whether it is used (found and confirmed).
        key: Secret of the installation that seals probes.
    """

    def __init__(
        self,
        registry: SwitchRegistry,
        events: EventRing,
        alarms: Alarms,
        period: float,
        *,
        on_use_changed: Callable[[PortPair, bool], None],
        key: bytes,
    ) -> None:
        self._registry = registry
        self._alarms = alarms
        self._period = period
        span = max(WINDOW_PERIODS * period, WINDOW_LEAST)
        self._probes = ProbeIssuer(registry, key, span)
        self._faults = ProbeFaults(alarms, monotonic() + span)
        self._reports = LinkReports(events, alarms, on_use_changed)
        self._answered_at: dict[End, float] = {}
        self._adjacency = Adjacency(MISSED * period)
        self.topology = ConfirmedTopology()

    @property
    def faults(self) -> Counter[lldp.ProbeFault]:
        """Count the frames that did not count as probes, by reason."""
        return self._faults.counts

    def run(self) -> None:
        """Probe all ports and update the links once per period, without end."""
        while True:
            for connection in self._registry:
                self.probe(connection, connection.up_ports())
            self._update_links()
            sleep(self._period)

    def switch_connected(self, connection: Connection) -> None:
        """Handle a new switch: end the links of ports that are down or gone, and probe the others."""
        up = {port.number for port in connection.up_ports()}
        for end in {end for pair, _, _ in self._adjacency.links() for end in pair}:
            if end[0] == connection.dpid and end[1] not in up:
                self._forget(end, "the port is down or gone")
        self._adjacency.excuse_absence(connection.dpid, monotonic())
        self.probe(connection, connection.up_ports())

    def switch_gone(self, connection: Connection) -> None:
        """Handle a switch that disconnected.

        Its links are kept, but only `MOST_ABSENT` of those that are not confirmed. All else about its ports
        is forgotten.
        """
        for number in connection.ports:
            self._probes.forget((connection.dpid, number))
            self._answered_at.pop((connection.dpid, number), None)
        present = {one.dpid for one in self._registry}
        self._report(self._adjacency.trim_absent(self.topology.links, present, MOST_ABSENT))

    def port_up(self, connection: Connection, port: SwitchPort) -> None:
        """Handle a port that came up: probe it immediately."""
        self.probe(connection, [port])

    def port_down(self, connection: Connection, number: int) -> None:
        """Handle a port that is down or gone: its link is lost immediately."""
        self._forget((connection.dpid, number), "the port is down or gone")

    def packet_in(self, connection: Connection, number: int, frame: bytes) -> None:
        """Handle a frame that a switch punted; only fresh probes of this run count."""
        receiver, now = (connection.dpid, number), monotonic()
        found = self._probes.read(frame, connection, number, now)
        if isinstance(found, RefusedProbe):
            self._faults.report(found, connection, number, now)
            return
        sender = (found.dpid, found.port)
        self._check_edge(sender, receiver)
        if self._adjacency.record_probe(sender, receiver, now):
            self._report(self._adjacency.find_links(now))
        elif not self._adjacency.is_answered(sender, receiver, now):
            self._probe_back(connection, number, now)

    def report_flood(self, connection: Connection, port: int, packets: int, *, alarms: bool) -> None:
        """Count frames that were dropped by their header; with `alarms`, raise an alarm."""
        self._faults.report_flood(connection, port, packets, alarms=alarms)

    def confirm(self, topology: ConfirmedTopology) -> None:
        """Replace the links and the ports with hosts that the control plane has confirmed."""
        for dpid, port in self.topology.edges - topology.edges:
            self._alarms.clear("probe_at_edge", dpid=f"{dpid:016x}", port=port)
        self.topology = topology
        self._reports.update_use(self._found() & topology.links)

    def links_json(self) -> list[dict[str, object]]:
        """Return the northbound's form of the links."""
        offset = time() - monotonic()
        present = {connection.dpid for connection in self._registry}
        return [
            {
                **ends_json(pair),
                "last_seen": iso(heard + offset),
                "silent": silent,
                "watched": {pair[0][0], pair[1][0]} <= present,
                "confirmed": pair in self.topology.links,
                "edge": not self.topology.edges.isdisjoint(pair),
            }
            for pair, heard, silent in self._adjacency.links()
        ]

    def probe(self, connection: Connection, ports: list[SwitchPort]) -> None:
        """Send a probe out of each port."""
        for port in ports:
            frame = self._probes.issue((connection.dpid, port.number), port.mac, monotonic())
            connection.send_if_idle(messages.packet_out((port.number,), frame))

    def _check_edge(self, sender: End, receiver: End) -> None:
        """Raise an alarm if a probe arrives at a port that has a host in the topology."""
        if receiver not in self.topology.edges:
            return
        detail = (
            f"a probe of {sender[0]:016x} port {sender[1]} arrived at a port with a host. The host forwards "
            "probes, or the cable leads to a switch. The link is used only after an operator approves it"
        )
        self._alarms.sound("probe_at_edge", detail, LASTING, dpid=f"{receiver[0]:016x}", port=receiver[1])

    def _probe_back(self, connection: Connection, number: int, now: float) -> None:
        """Send a probe back immediately, at most five times per period.

        Then a new link is found before the next period starts.
        """
        end = (connection.dpid, number)
        if now - self._answered_at.get(end, -self._period) >= self._period / 5:
            self._answered_at[end] = now
            self.probe(connection, [connection.ports[number]])

    def _forget(self, end: End, reason: str) -> None:
        self._probes.forget(end)
        self._answered_at.pop(end, None)
        self._report(self._adjacency.forget_port(end, reason))

    def _update_links(self) -> None:
        now = monotonic()
        self._report(self._adjacency.update_links(now, [connection.dpid for connection in self._registry]))
        self._reports.report_shared(self._adjacency.ambiguous)
        missing = {pair for pair in self.topology.links - self._found() if all(map(self._is_up, pair))}
        self._reports.report_unprobed(missing, now, MISSED * self._period)

    def _is_up(self, end: End) -> bool:
        connection = self._registry.find(end[0])
        port = connection.ports.get(end[1]) if connection else None
        return port is not None and port.up

    def _found(self) -> frozenset[PortPair]:
        return frozenset(pair for pair, _, _ in self._adjacency.links())

    def _report(self, steps: list[AdjacencyStep]) -> None:
        self._reports.report(steps, self.topology.links)
