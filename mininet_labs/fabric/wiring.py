"""Bridges, ports and links of a topology, with their names in Open vSwitch.

A topology that cannot be wired is refused. Names are short and safe for all ids: the name of a bridge comes
from the id of its switch (`sea`). The name of an interface consists of the bridge and the port number
(`sea-11`), and its socket has the same name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mininet_labs.fabric.errors import FabricError
from tercast.runtime.wording import quantity

ReadOnlyObject = Mapping[str, Any]

HIGHEST_PORT = 65279
"""Highest port number that Open vSwitch assigns to an interface on request."""
NAME_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Bridge:
    """A switch."""

    switch: str
    name: str
    dpid: str


@dataclass(frozen=True, slots=True)
class EmbeddedPort:
    """A port of a switch, named by its interface."""

    switch: str
    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.switch}:{self.number}"


@dataclass(frozen=True, slots=True)
class FabricLink:
    """Two ports that are connected with each other."""

    a: EmbeddedPort
    b: EmbeddedPort

    def ends(self) -> tuple[EmbeddedPort, EmbeddedPort]:
        """Return both ports."""
        return self.a, self.b


class FabricWiring:
    """Switches, links and hosts of a fabric; every method checks its arguments before a change."""

    def __init__(self) -> None:
        self.bridges: dict[str, Bridge] = {}
        self.hosts: dict[str, tuple[EmbeddedPort, ...]] = {}
        self._links: dict[tuple[str, int], FabricLink] = {}
        self._attached: Counter[EmbeddedPort] = Counter()
        self._names: set[str] = set()

    @classmethod
    def of(cls, topology: ReadOnlyObject) -> FabricWiring:
        """Return the wiring of a scenario's `topology` object.

        Raises:
            FabricError: An entry is wrong; the error names it.
        """
        wiring = cls()
        for kind, add in (
            ("switches", wiring.add_switch),
            ("links", wiring.add_link),
            ("hosts", wiring.add_host),
        ):
            for index, entry in enumerate(topology.get(kind, ())):
                add(entry, f"topology.{kind}[{index}]")
        return wiring

    def links(self) -> list[FabricLink]:
        """Return every link once, in the order in which they were added."""
        return list(dict.fromkeys(self._links.values()))

    def host_ports(self) -> list[EmbeddedPort]:
        """Return every port with hosts once."""
        return list(self._attached)

    def ports(self) -> list[EmbeddedPort]:
        """Return every port of links and hosts."""
        return [*(end for link in self.links() for end in link.ends()), *self.host_ports()]

    def port(self, switch: str, number: int) -> EmbeddedPort:
        """Return the port of a switch with a number."""
        here = [port for port in self.ports() if port.switch == self.bridge(switch).switch]
        for port in here:
            if port.number == number:
                return port
        numbers = _some(sorted(port.number for port in here))
        raise FabricError(f"{switch}:{number}", "no such port", f"ports there: {numbers}")

    def bridge(self, switch: str) -> Bridge:
        """Return the bridge of a switch."""
        if switch not in self.bridges:
            raise FabricError(switch, "no such switch in the fabric", f"use one of {_some(self.bridges)}")
        return self.bridges[switch]

    def attachment(self, host: str, index: int = 0) -> EmbeddedPort:
        """Return the port of a host; attachments from 1 on are standby ports."""
        if host not in self.hosts:
            raise FabricError(host, "no such host in the fabric", f"use one of {_some(self.hosts)}")
        ports = self.hosts[host]
        if not 0 <= index < len(ports):
            number = quantity(len(ports), "attachment")
            remedy = f"use an index from 0 to {len(ports) - 1}"
            raise FabricError(f"attachment {index} of {host}", f"the host has {number}", remedy)
        return ports[index]

    def link_at(self, switch: str, number: int) -> FabricLink:
        """Return the link at a port."""
        link = self._links.get((self.bridge(switch).switch, number))
        if link is None:
            here = [port for at, port in self._links if at == switch]
            raise FabricError(
                f"{switch}:{number}", "no link at this port", f"ports with links: {_some(here)}"
            )
        return link

    def add_switch(self, entry: ReadOnlyObject, path: str = "switch") -> Bridge:
        """Add a switch `{"id", "dpid"}`."""
        switch, dpid = _text(entry, "id", path), _text(entry, "dpid", path).lower()
        if switch in self.bridges:
            raise FabricError(f"{path}.id {switch!r}", "already exists", "give each switch a different id")
        if not re.fullmatch(r"[0-9a-f]{16}", dpid) or int(dpid, 16) == 0:
            raise FabricError(f"{path}.dpid {dpid!r}", "is not 16 hex digits above 0", "write all 16 digits")
        bridge = Bridge(switch, self._free_name(switch), dpid)
        self.bridges[switch] = bridge
        self._names.add(bridge.name)
        return bridge

    def add_link(self, entry: ReadOnlyObject, path: str = "link") -> FabricLink:
        """Add a link `{"a", "a_port", "b", "b_port"}`."""
        a = self._free_port(_text(entry, "a", path), entry.get("a_port"), f"{path}.a_port")
        b = self._free_port(_text(entry, "b", path), entry.get("b_port"), f"{path}.b_port")
        if a == b:
            raise FabricError(f"{path}: {a}", "a port cannot be linked to itself", "name another port")
        if a in self._attached or b in self._attached:
            raise FabricError(f"{path}: {a} to {b}", "a host is attached there", "link a free port")
        link = FabricLink(a, b)
        self._links[a.switch, a.number] = self._links[b.switch, b.number] = link
        return link

    def add_host(self, entry: ReadOnlyObject, path: str = "host") -> list[EmbeddedPort]:
        """Add a host `{"id", "switch", "port", "standby"?}`; return its ports that had no host."""
        host = _text(entry, "id", path)
        if host in self.hosts:
            raise FabricError(f"{path}.id {host!r}", "already exists", "give each host a different id")
        places = [(entry, path)]
        places += [(place, f"{path}.standby[{n}]") for n, place in enumerate(entry.get("standby", ()))]
        ports = [
            self._free_port(_text(place, "switch", at), place.get("port"), f"{at}.port")
            for place, at in places
        ]
        self.hosts[host] = tuple(ports)
        fresh = [port for port in dict.fromkeys(ports) if port not in self._attached]
        self._attached.update(ports)
        return fresh

    def remove_link(self, switch: str, number: int) -> FabricLink:
        """Remove the link at a port."""
        link = self.link_at(switch, number)
        for end in link.ends():
            del self._links[end.switch, end.number]
        return link

    def remove_host(self, host: str) -> list[EmbeddedPort]:
        """Remove a host; return the ports that no other host uses."""
        self.attachment(host)
        ports = self.hosts.pop(host)
        self._attached.subtract(ports)
        free = [port for port in dict.fromkeys(ports) if not self._attached[port]]
        for port in free:
            del self._attached[port]
        return free

    def remove_switch(self, switch: str) -> tuple[Bridge, list[FabricLink]]:
        """Remove a switch and its links.

        Raises:
            FabricError: Hosts are attached to it.
        """
        bridge = self.bridge(switch)
        attached = [host for host, ports in self.hosts.items() if any(p.switch == switch for p in ports)]
        if attached:
            raise FabricError(switch, f"hosts are attached: {_some(attached)}", "remove them first")
        links = [link for link in self.links() if switch in (link.a.switch, link.b.switch)]
        for link in links:
            self.remove_link(link.a.switch, link.a.number)
        del self.bridges[switch]
        self._names.discard(bridge.name)
        return bridge, links

    def _free_port(self, switch: str, number: object, path: str) -> EmbeddedPort:
        if switch not in self.bridges:
            raise FabricError(f"{path}: {switch!r}", "no such switch", f"use one of {_some(self.bridges)}")
        if type(number) is not int or not 1 <= number <= HIGHEST_PORT:
            raise FabricError(f"{path} {number!r}", f"is not a number from 1 to {HIGHEST_PORT}", "correct it")
        if (switch, number) in self._links:
            raise FabricError(f"{path} {switch}:{number}", "a link uses this port", "use a free port")
        return EmbeddedPort(switch, number, f"{self.bridges[switch].name}-{number}")

    def _free_name(self, switch: str) -> str:
        base = re.sub(r"[^a-z0-9]", "", switch.lower()) or "sw"
        name, count = base[:NAME_LENGTH], 1
        while name in self._names:
            count += 1
            name = f"{base[: NAME_LENGTH - len(str(count))]}{count}"
        return name


def _text(entry: ReadOnlyObject, key: str, path: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        raise FabricError(f"{path}.{key} {value!r}", "is not a text", "set it to a text")
    return value


def _some(names: Any, most: int = 8) -> str:
    listed = [str(name) for name in names]
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "") or "none"
