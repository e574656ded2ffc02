"""Effect of an entry on a packet in a network: links and hosts of the copies, and problems."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tercast.tables.entries import IN_PORT, Entry, SetDst
from tercast.topology.topology import Port, Topology

HostMask = int


@dataclass(frozen=True, slots=True)
class ForwardingStep:
    """One output: a link to `far`, or hosts (a mask), or only a `problem`."""

    port: int
    far: Port | None = None
    hosts: HostMask = 0
    problem: str = ""


class ForwardingModel:
    """Live links, and hosts with their live attachments, for all topics at one moment."""

    __slots__ = ("_at", "components", "far", "index", "members", "names", "place", "ports")

    def __init__(self, topology: Topology) -> None:
        self.names = list(topology.hosts)
        self.index = {host: i for i, host in enumerate(self.names)}
        self.place: dict[str, Port] = {}
        self._at: dict[tuple[Port, str], HostMask] = {}
        for host in self.names:
            live = topology.live_attachment(host)
            if live is not None:
                place = self.place[host] = (live.switch, live.port)
                self._at[place, host] = 1 << self.index[host]
        self.far: dict[Port, Port] = {}
        for link in topology.all_links():
            ends = (link.a, link.a_port), (link.b, link.b_port)
            if link not in topology.down_links and {link.a, link.b}.isdisjoint(topology.down_switches):
                self.far[ends[0]], self.far[ends[1]] = ends[1], ends[0]
        self.ports = {*topology.links, *topology.attached}
        self.components = self._find_components(topology)
        self.members: dict[int, HostMask] = {}
        for host, (switch, _) in self.place.items():
            number = self.components[switch]
            self.members[number] = self.members.get(number, 0) | 1 << self.index[host]

    def hosts(self, mask: HostMask) -> list[str]:
        """Return the names of the hosts in a mask."""
        return [self.names[i] for i in range(mask.bit_length()) if mask >> i & 1]

    def steps(self, switch: str, entry: Entry) -> tuple[ForwardingStep, ...]:
        """Return the outputs of an entry, except those to the ingress port."""
        found: list[ForwardingStep] = []
        rewritten: str | None = None
        for action in entry.actions:
            if isinstance(action, SetDst):
                rewritten = action.host
            elif action.port != IN_PORT:
                found.append(self._step((switch, int(action.port)), rewritten))
        return tuple(found)

    def back(self, switch: str, port: int, entry: Entry) -> tuple[ForwardingStep, ...]:
        """Return the outputs of an entry to the port that the packet came from."""
        found: list[ForwardingStep] = []
        rewritten: str | None = None
        for action in entry.actions:
            if isinstance(action, SetDst):
                rewritten = action.host
            elif action.port == IN_PORT:
                found.append(self._step((switch, port), rewritten))
        return tuple(found)

    def _step(self, port: Port, rewritten: str | None) -> ForwardingStep:
        switch, number = port
        far = self.far.get(port)
        if far is not None:
            if rewritten is None:
                return ForwardingStep(number, far=far)
            problem = f"{switch} sends packets for {rewritten} over port {number} to switch {far[0]}"
            return ForwardingStep(number, problem=f"{problem}, where no entry matches them after the rewrite")
        if port not in self.ports:
            return ForwardingStep(number, problem=f"{switch} has no port {number} with a link or a host")
        if rewritten is None:
            reason = "is down" if port not in self._live_ports() else "leads to hosts"
            problem = f"{switch} does not set the destination of packets to port {number}, which {reason}"
            return ForwardingStep(number, problem=problem)
        hosts = self._at.get((port, rewritten), 0)
        if hosts:
            return ForwardingStep(number, hosts=hosts)
        return ForwardingStep(
            number,
            problem=f"{switch} sends packets for {rewritten} to port {number}, but {rewritten} is not there",
        )

    def _live_ports(self) -> Iterable[Port]:
        return {*self.far, *self.place.values()}

    def _find_components(self, topology: Topology) -> dict[str, int]:
        neighbours: dict[str, list[str]] = {
            name: [] for name in topology.switches if name not in topology.down_switches
        }
        for (near, _), (far, _) in self.far.items():
            neighbours[near].append(far)
        number: dict[str, int] = {}
        for start in neighbours:
            waiting = [start]
            while waiting:
                switch = waiting.pop()
                if switch not in number:
                    number[switch] = number.get(start, len(number))
                    waiting += neighbours[switch]
        return number
