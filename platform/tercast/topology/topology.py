"""The network: switches, links, hosts with their attachments, and which of them are down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tercast.errors import Path, Refused, shown
from tercast.runtime.wording import unknown_name
from tercast.topology.elements import Attachment, Host, Link, Switch, read_host, read_link, read_switch

Port = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Edge:
    """A link seen from one of its ends: `port` here leads to `far_port` of switch `far`."""

    port: int
    far: str
    far_port: int
    link: Link


@dataclass(slots=True)
class Topology:
    """A mutable network; a method refuses an invalid change and then changes nothing.

    Callers that carry out changes increment `version`, so that others can detect them. `borders` names the
    switches that represent neighbours (`tercast.topology.borders`), each with the port that leads to it.
    """

    family: str
    switches: dict[str, Switch] = field(default_factory=dict)
    links: dict[Port, Link] = field(default_factory=dict)
    hosts: dict[str, Host] = field(default_factory=dict)
    down_switches: set[str] = field(default_factory=set)
    down_links: set[Link] = field(default_factory=set)
    down_ports: set[Port] = field(default_factory=set)
    attached: dict[Port, list[str]] = field(default_factory=dict)
    borders: dict[str, Port] = field(default_factory=dict)
    version: int = 0
    _taken: dict[str, dict[str, str]] = field(default_factory=lambda: {"dpid": {}, "ip": {}, "mac": {}})

    def add_switch(self, obj: object, path: Path = ()) -> Switch:
        """Add a switch, given as in a scenario."""
        switch = read_switch(obj, path)
        if switch.id in self.switches:
            raise Refused(
                (*path, "id"), "duplicate", f"there is already a switch {shown(switch.id)}", switch.id
            )
        self._unclaimed("dpid", switch.dpid, path)
        self._taken["dpid"][switch.dpid] = switch.id
        self.switches[switch.id] = switch
        return switch

    def add_link(self, obj: object, path: Path = ()) -> Link:
        """Add a link between two ports that are not in use."""
        link = read_link(obj, path)
        for end, (name, port) in (("a", (link.a, link.a_port)), ("b", (link.b, link.b_port))):
            self._known_switch(name, (*path, end))
            self._free_of_link((name, port), (*path, f"{end}_port"))
            for host in self.attached.get((name, port), ()):
                detail = f"port {port} of {shown(name)} is in use: host {shown(host)} is attached to it"
                raise Refused((*path, f"{end}_port"), "port_in_use", detail, port)
        if link.a == link.b:
            rule = f"the link joins {shown(link.a)} to itself; a link joins two different switches"
            raise Refused((*path, "b"), "self_link", rule, link.b)
        self.links[link.a, link.a_port] = self.links[link.b, link.b_port] = link
        self.down_ports -= {(link.a, link.a_port), (link.b, link.b_port)}
        return link

    def add_host(self, obj: object, path: Path = ()) -> Host:
        """Add a host, given as in a scenario, with its standby attachments."""
        host = read_host(obj, self.family, path)
        if host.id in self.hosts:
            raise Refused((*path, "id"), "duplicate", f"there is already a host {shown(host.id)}", host.id)
        for place, where in zip(host.attachments, _attachment_paths(path), strict=False):
            self._check_attachment(place, where)
        for kind, value in (("ip", host.ip), ("mac", host.mac)):
            self._unclaimed(kind, value, path)
        self._taken["ip"][host.ip] = self._taken["mac"][host.mac] = host.id
        self.hosts[host.id] = host
        self._attach(host)
        return host

    def remove_switch(self, name: str, path: Path = ()) -> Switch:
        """Remove a switch that has no links and no hosts."""
        switch = self._known_switch(name, path)
        for port in sorted(port for owner, port in self.links if owner == name):
            raise Refused(
                path, "in_use", f"switch {shown(name)} has a link at port {port}; remove it first", name
            )
        for (owner, port), hosts in sorted(self.attached.items()):
            if owner == name:
                detail = f"host {shown(hosts[0])} is attached to switch {shown(name)}, port {port}"
                raise Refused(path, "in_use", f"{detail}; remove it first", name)
        del self.switches[name], self._taken["dpid"][switch.dpid]
        self.down_switches.discard(name)
        self.down_ports = {port for port in self.down_ports if port[0] != name}
        return switch

    def remove_link(self, name: str, port: int, path: Path = ()) -> Link:
        """Remove the link at a port."""
        self._known_switch(name, (*path, "switch"))
        link = self.links.get((name, port))
        if link is None:
            rule = f"there is no link at port {port} of {shown(name)}"
            raise Refused((*path, "port"), "unknown_port", rule, port)
        del self.links[link.a, link.a_port], self.links[link.b, link.b_port]
        self.down_links.discard(link)
        return link

    def remove_host(self, name: str, path: Path = ()) -> Host:
        """Remove a host."""
        host = self.known_host(name, path)
        del self.hosts[name], self._taken["ip"][host.ip], self._taken["mac"][host.mac]
        self._detach(host)
        return host

    def move_host(self, name: str, place: Attachment, path: Path = ()) -> None:
        """Replace the primary attachment of a host; its standby attachments stay the same."""
        host = self.known_host(name, (*path, "host"))
        self._check_attachment(place, path)
        self._detach(host)
        self.hosts[name] = host.moved(place)
        self._attach(self.hosts[name])

    def set_budget(self, name: str, budget: int | None, path: Path = ()) -> None:
        """Set the number of content entries that a switch may hold; None means no limit."""
        self.switches[name] = self._known_switch(name, path).with_budget(budget)

    def set_reserve(self, name: str, entries: int, path: Path = ()) -> None:
        """Set the number of entries of the budget that stay free."""
        self.switches[name] = self._known_switch(name, path).with_reserve(entries)

    def set_capacity(self, name: str, entries: int | None, path: Path = ()) -> None:
        """Record the number of content entries at which a switch was full; None removes it."""
        self.switches[name] = self._known_switch(name, path).with_capacity(entries)

    def set_switch(self, name: str, up: bool, path: Path = ()) -> None:
        """Mark a switch, with all its ports, as up or down."""
        self._known_switch(name, path)
        (self.down_switches.discard if up else self.down_switches.add)(name)

    def set_port(self, name: str, port: int, up: bool, path: Path = ()) -> None:
        """Mark the link at a port, or the attachments of the hosts there, as up or down."""
        self._known_switch(name, (*path, "switch"))
        link = self.links.get((name, port))
        if link is not None:
            (self.down_links.discard if up else self.down_links.add)(link)
        elif (name, port) in self.attached or (name, port) in self.down_ports:
            (self.down_ports.discard if up else self.down_ports.add)((name, port))
        else:
            detail = f"there is neither a link nor a host at port {port} of {shown(name)}"
            raise Refused((*path, "port"), "unknown_port", detail, port)

    def known_host(self, name: str, path: Path = ()) -> Host:
        """Return the host of that name; raise Refused if there is none."""
        host = self.hosts.get(name)
        if host is None:
            raise Refused(path, "unknown_host", unknown_name("host", name, self.hosts), name)
        return host

    def live_attachment(self, name: str) -> Attachment | None:
        """Return the first attachment of a host whose switch and port are up, or None."""
        for place in self.hosts[name].attachments:
            if place.switch not in self.down_switches and (place.switch, place.port) not in self.down_ports:
                return place
        return None

    def edges(self) -> dict[str, list[Edge]]:
        """Return the live links of each live switch, if the other end is live too.

        The links of a switch are sorted by port.
        """
        out: dict[str, list[Edge]] = {name: [] for name in self.switches if name not in self.down_switches}
        for (name, port), link in sorted(self.links.items(), key=lambda item: item[0]):
            far, far_port = link.other(name, port)
            if name in out and far in out and link not in self.down_links:
                out[name].append(Edge(port, far, far_port, link))
        return out

    def copy(self) -> Topology:
        """Return an independent copy of the network."""
        return Topology(
            self.family,
            dict(self.switches),
            dict(self.links),
            dict(self.hosts),
            set(self.down_switches),
            set(self.down_links),
            set(self.down_ports),
            {port: list(hosts) for port, hosts in self.attached.items()},
            dict(self.borders),
            self.version,
            {kind: dict(taken) for kind, taken in self._taken.items()},
        )

    def all_links(self) -> Iterator[Link]:
        """Yield every link once, in the order of declaration."""
        for (name, port), link in self.links.items():
            if (name, port) == (link.a, link.a_port):
                yield link

    def to_json(self) -> dict[str, object]:
        """Switches, links and hosts as in a scenario."""
        return {
            "switches": [switch.to_json() for switch in self.switches.values()],
            "links": [link.to_json() for link in self.all_links()],
            "hosts": [host.to_json() for host in self.hosts.values()],
        }

    def _known_switch(self, name: str, path: Path) -> Switch:
        switch = self.switches.get(name)
        if switch is None:
            raise Refused(path, "unknown_switch", unknown_name("switch", name, self.switches), name)
        return switch

    def _unclaimed(self, kind: str, value: str, path: Path) -> None:
        owner = self._taken[kind].get(value)
        if owner is not None:
            raise Refused(
                (*path, kind), "duplicate", f"{shown(value)} is already in use by {shown(owner)}", value
            )

    def _check_attachment(self, place: Attachment, path: Path) -> None:
        self._known_switch(place.switch, (*path, "switch"))
        self._free_of_link((place.switch, place.port), (*path, "port"))

    def _free_of_link(self, port: Port, path: Path) -> None:
        link = self.links.get(port)
        if link is not None:
            far, far_port = link.other(*port)
            detail = (
                f"port {port[1]} of {shown(port[0])} is in use by a link to {shown(far)}, port {far_port}"
            )
            raise Refused(path, "port_in_use", detail, port[1])

    def _attach(self, host: Host) -> None:
        for place in host.attachments:
            self.attached.setdefault((place.switch, place.port), []).append(host.id)

    def _detach(self, host: Host) -> None:
        for place in host.attachments:
            hosts = self.attached[place.switch, place.port]
            hosts.remove(host.id)
            if not hosts:
                del self.attached[place.switch, place.port]


def components(edges: dict[str, list[Edge]]) -> dict[str, int]:
    """Number the component of each switch that is up, in the order of switches."""
    number: dict[str, int] = {}
    current = -1
    for start in edges:
        if start in number:
            continue
        current += 1
        number[start] = current
        waiting = [start]
        while waiting:
            for edge in edges[waiting.pop()]:
                if edge.far not in number:
                    number[edge.far] = current
                    waiting.append(edge.far)
    return number


def _attachment_paths(path: Path) -> Iterator[Path]:
    yield path
    index = 0
    while True:
        yield (*path, "standby", index)
        index += 1
