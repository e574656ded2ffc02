"""Configuration of bridges, ports and links in the running switch, until they are ready."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mininet_labs.fabric import bridges
from mininet_labs.fabric.bridges import CommandGroup, LinkKind
from mininet_labs.fabric.daemons import SwitchDaemons
from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.rundir import RunDir
from mininet_labs.fabric.tools import Tools
from mininet_labs.fabric.wiring import Bridge, EmbeddedPort, FabricLink, FabricWiring

POLL = 0.01

Progress = Callable[[int, int], None]
"""Callback with the number of finished parts and the total."""


def ignore_progress(_done: int, _total: int) -> None:
    """Ignore the progress."""


class Assembly:
    """The wiring of a fabric in Open vSwitch."""

    def __init__(
        self,
        wiring: FabricWiring,
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
        self._down: set[FabricLink] = set()

    def add_everything(self, controllers: Sequence[str], progress: Progress = ignore_progress) -> None:
        """Create the whole wiring; the switches connect to their controllers when all ports exist.

        `progress` is called after each transaction with the numbers of finished and of all groups. A group is
        a bridge, a port, a link or the controllers of a switch.
        """
        links = self._wiring.links()
        first, second = self._link_groups(links)
        switches = self._wiring.bridges.values()
        groups = [bridges.add_bridge(bridge) for bridge in switches]
        groups += [*self._host_groups(self._wiring.host_ports()), *first, *second]
        if controllers:
            groups += [bridges.set_controllers(bridge, controllers, len(switches)) for bridge in switches]
        self.configure(groups, progress)
        self.await_ready()

    def add_bridge(self, bridge: Bridge, controllers: Sequence[str]) -> None:
        """Add a bridge without ports."""
        self.configure([bridges.add_bridge(bridge), bridges.set_controllers(bridge, controllers)])

    def add_link(self, link: FabricLink) -> None:
        """Add both ends of a link."""
        self._down.discard(link)
        for groups in self._link_groups([link]):
            self.configure(groups)
        self.await_ready(link.ends())

    def add_host_ports(self, ports: Sequence[EmbeddedPort]) -> None:
        """Add ports for hosts."""
        self.configure(self._host_groups(ports))
        self.await_ready(ports)

    def remove(self, ports: Iterable[EmbeddedPort], bridge: Bridge | None = None) -> None:
        """Remove ports, and then a bridge."""
        groups = [bridges.remove_port(self._wiring.bridge(port.switch), port) for port in ports]
        self.configure([*groups, *([bridges.remove_bridge(bridge)] if bridge else [])])

    def set_link(self, link: FabricLink, up: bool) -> None:
        """Set a joined link down or up.

        The administrative state causes the port status, but a port that is down still sends and receives. So
        the connection between the two ends is cut too. When a link goes up, it connects before the status
        changes.
        """
        if self._links is LinkKind.PATCH:
            rule = "is a patch link, which cannot be taken down"
            raise FabricError(f"{link.a} to {link.b}", rule, 'create the fabric with links="joined"')
        if up:
            socket = self._run_dir.socket(link.a.name)
            self.configure([bridges.join_end(link.a, socket, listens=True)])
            self.configure([bridges.join_end(link.b, socket, listens=False)])
            self._down.discard(link)
            self.await_ready(link.ends())
        else:
            self._down.add(link)
            self.configure([bridges.part_end(end) for end in link.ends()])
        self._set_admin_state(link, up)

    def resume(self) -> None:
        """Wait until a restarted switch is ready; links that were down stay down."""
        self.await_ready()
        for link in self._down:
            self._set_admin_state(link, up=False)

    def configure(self, groups: Iterable[CommandGroup], progress: Progress = ignore_progress) -> None:
        """Apply groups of commands in order, in transactions of a limited size.

        It returns when the switch has applied all of them.
        """
        groups = list(groups)
        done = 0
        for chunk in bridges.chunks(groups):
            self._apply(chunk)
            done += len(chunk)
            progress(done, len(groups))

    def _apply(self, groups: Sequence[CommandGroup]) -> None:
        try:
            self._tools.vsctl(*bridges.transaction(groups))
        except FabricError:
            self._daemons.check()  # the log of a dead daemon explains more than the time-out of the tool
            raise

    def await_ready(self, ports: Sequence[EmbeddedPort] | None = None) -> None:
        """Wait until ports (default: all) have their numbers, sockets and connections."""
        if ports is None:
            ports = self._wiring.ports()
        deadline = time.monotonic() + self._timeout
        while missing := self._missing(ports):
            self._daemons.check()
            if time.monotonic() > deadline:
                rule = f"not ready after {self._timeout:g} s"
                raise FabricError(missing, rule, "use a longer timeout, or read the logs of the fabric")
            time.sleep(POLL)

    def _set_admin_state(self, link: FabricLink, up: bool) -> None:
        for end in link.ends():
            self._tools.appctl("netdev-dummy/set-admin-state", end.name, "up" if up else "down")

    def _missing(self, ports: Sequence[EmbeddedPort]) -> str:
        """Return what is not ready yet, in words; empty if everything is ready."""
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

    def _unconnected(self, links: Sequence[FabricLink]) -> str:
        if not links:
            return ""
        lines = self._tools.appctl("netdev-dummy/conn-state").splitlines()
        connected = {line.partition(": ")[0] for line in lines if line.endswith(": connected")}
        return ", ".join(f"link {link.a} to {link.b}" for link in links if link.b.name not in connected)

    def _joined(self) -> list[FabricLink]:
        """Return the joined links that are up."""
        if self._links is LinkKind.PATCH:
            return []
        return [link for link in self._wiring.links() if link not in self._down]

    def _host_groups(self, ports: Iterable[EmbeddedPort]) -> list[CommandGroup]:
        return [
            bridges.add_host_port(self._wiring.bridge(port.switch), port, self._run_dir.socket(port.name))
            for port in ports
        ]

    def _link_groups(self, links: Iterable[FabricLink]) -> tuple[list[CommandGroup], list[CommandGroup]]:
        """Return the groups that create links; those of the second list need those of the first."""
        first: list[CommandGroup] = []
        second: list[CommandGroup] = []
        for link in links:
            a, b = (self._wiring.bridge(end.switch) for end in link.ends())
            if self._links is LinkKind.PATCH:
                first.append(bridges.add_patch_link(a, b, link))
            else:
                socket = self._run_dir.socket(link.a.name)
                first.append(bridges.add_joined_end(a, link.a, socket, listens=True))
                second.append(bridges.add_joined_end(b, link.b, socket, listens=False))
        return first, second


def link_kind(links: Any) -> LinkKind:
    """Return the kind of link with a name.

    Raises:
        FabricError: There is no such kind.
    """
    try:
        return LinkKind(links)
    except ValueError:
        kinds = " or ".join(kind.value for kind in LinkKind)
        raise FabricError(f"links {links!r}", "unknown kind of link", f"use {kinds}") from None
