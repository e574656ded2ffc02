"""Puts bridges, ports and links into the running switch, and waits until they are there."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

from mininet_labs.fabric import bridges
from mininet_labs.fabric.bridges import Command, LinkKind
from mininet_labs.fabric.daemons import SwitchDaemons
from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.rundir import RunDir
from mininet_labs.fabric.tools import Tools
from mininet_labs.fabric.wiring import Bridge, Link, Port, Wiring

POLL = 0.01


class Assembly:
    """The wiring of a fabric, as Open vSwitch has it."""

    def __init__(
        self,
        wiring: Wiring,
        links: LinkKind,
        *,
        run_dir: RunDir,
        daemons: SwitchDaemons,
        tools: Tools,
        timeout: float,
    ) -> None:
        self._wiring = wiring
        self._links = links
        self._run_dir = run_dir
        self._daemons = daemons
        self._tools = tools
        self._timeout = timeout
        self._down: set[Link] = set()

    def add_everything(self, controllers: Sequence[str]) -> None:
        """Make the whole wiring: one transaction, and a second one for the far ends of joined links."""
        links = self._wiring.links()
        first, second = self._link_commands(links)
        added = [c for b in self._wiring.bridges.values() for c in bridges.add_bridge(b, controllers)]
        self.configure([*added, *self._host_commands(self._wiring.host_ports()), *first])
        self.configure(second)
        self.await_ready()

    def add_bridge(self, bridge: Bridge, controllers: Sequence[str]) -> None:
        """Add a bridge without ports."""
        self.configure(bridges.add_bridge(bridge, controllers))

    def add_link(self, link: Link) -> None:
        """Add both ends of a link."""
        self._down.discard(link)
        for commands in self._link_commands([link]):
            self.configure(commands)
        self.await_ready(link.ends())

    def add_host_ports(self, ports: Sequence[Port]) -> None:
        """Add ports for hosts."""
        self.configure(self._host_commands(ports))
        self.await_ready(ports)

    def remove(self, ports: Iterable[Port], bridge: Bridge | None = None) -> None:
        """Remove ports, and then a bridge."""
        commands = [c for port in ports for c in bridges.remove_port(self._wiring.bridge(port.switch), port)]
        self.configure([*commands, *(bridges.remove_bridge(bridge) if bridge else [])])

    def set_link(self, link: Link, up: bool) -> None:
        """Take a joined link down, or up again.

        The administrative state makes the port status, but a port that is down still sends and receives: the
        connection between the two ends is cut, too. Going up, the connection is there before the status is.
        """
        if self._links is LinkKind.PATCH:
            rule = "is a patch link, which cannot be taken down"
            raise FabricError(f"{link.a} to {link.b}", rule, 'make the fabric with links="joined"')
        if up:
            socket = self._run_dir.socket(link.a.name)
            self.configure(bridges.join_end(link.a, socket, listens=True))
            self.configure(bridges.join_end(link.b, socket, listens=False))
            self._down.discard(link)
            self.await_ready(link.ends())
        else:
            self._down.add(link)
            self.configure(c for end in link.ends() for c in bridges.part_end(end))
        self._set_admin_state(link, up)

    def resume(self) -> None:
        """After a restart of the switch: wait until it has everything again; links that were down stay so."""
        self.await_ready()
        for link in self._down:
            self._set_admin_state(link, up=False)

    def configure(self, commands: Iterable[Command]) -> None:
        """Apply commands in one transaction; returns when the switch has taken them over."""
        arguments = bridges.transaction(commands)
        if not arguments:
            return
        try:
            self._tools.vsctl(*arguments)
        except FabricError:
            self._daemons.check()  # a dead daemon's last words tell more than the tool's time-out
            raise

    def await_ready(self, ports: Sequence[Port] | None = None) -> None:
        """Wait until these ports (default: all) have their numbers, sockets and connections."""
        if ports is None:
            ports = self._wiring.ports()
        deadline = time.monotonic() + self._timeout
        while missing := self._missing(ports):
            self._daemons.check()
            if time.monotonic() > deadline:
                rule = f"not ready after {self._timeout:g} s"
                raise FabricError(missing, rule, "give the fabric a longer timeout, or look at its logs")
            time.sleep(POLL)

    def _set_admin_state(self, link: Link, up: bool) -> None:
        for end in link.ends():
            self._tools.appctl("netdev-dummy/set-admin-state", end.name, "up" if up else "down")

    def _missing(self, ports: Sequence[Port]) -> str:
        """What is not there yet, in words; empty when everything is."""
        rows = json.loads(
            self._tools.vsctl("--format=json", "--columns=name,ofport,error", "list", "Interface")
        )
        state = {name: (number, error) for name, number, error in rows["data"]}
        for port in ports:
            number, error = state.get(port.name, (None, None))
            if number != port.number:
                return f"port {port} (number {number}, error {error})"
        listening = [*self._wiring.host_ports(), *(link.a for link in self._joined())]
        for port in set(ports).intersection(listening):
            if not self._run_dir.socket(port.name).is_socket():
                return f"socket of port {port}"
        return self._unconnected([link for link in self._joined() if link.b in ports])

    def _unconnected(self, links: Sequence[Link]) -> str:
        if not links:
            return ""
        lines = self._tools.appctl("netdev-dummy/conn-state").splitlines()
        connected = {line.partition(": ")[0] for line in lines if line.endswith(": connected")}
        return ", ".join(f"link {link.a} to {link.b}" for link in links if link.b.name not in connected)

    def _joined(self) -> list[Link]:
        """The joined links that are up."""
        if self._links is LinkKind.PATCH:
            return []
        return [link for link in self._wiring.links() if link not in self._down]

    def _host_commands(self, ports: Iterable[Port]) -> list[Command]:
        return [
            command
            for port in ports
            for command in bridges.add_host_port(
                self._wiring.bridge(port.switch), port, self._run_dir.socket(port.name)
            )
        ]

    def _link_commands(self, links: Iterable[Link]) -> tuple[list[Command], list[Command]]:
        """What makes links, in two steps: the second needs what the first has made."""
        first: list[Command] = []
        second: list[Command] = []
        for link in links:
            a, b = (self._wiring.bridge(end.switch) for end in link.ends())
            if self._links is LinkKind.PATCH:
                first += bridges.add_patch_link(a, b, link)
            else:
                socket = self._run_dir.socket(link.a.name)
                first += bridges.add_joined_end(a, link.a)
                first += bridges.join_end(link.a, socket, listens=True)
                second += bridges.add_joined_end(b, link.b)
                second += bridges.join_end(link.b, socket, listens=False)
        return first, second


def link_kind(links: Any) -> LinkKind:
    """The kind of link that a text names."""
    try:
        return LinkKind(links)
    except ValueError:
        kinds = " or ".join(kind.value for kind in LinkKind)
        raise FabricError(f"links {links!r}", "no such kind of link", f"write {kinds}") from None
