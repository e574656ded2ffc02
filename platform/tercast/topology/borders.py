"""Borders to other partitions: each is a link to a stub switch with one host behind it.

A stub represents everything beyond the border. It is planned and verified like any switch, and never
deployed: its only effect on real switches are the outputs to the border port. A border has a stub of its own,
so no tree can use a neighbour as transit.
"""

from __future__ import annotations

import hashlib
import ipaddress
from itertools import count

from tercast.errors import Path, Refused, shown
from tercast.runtime.wording import unknown_name
from tercast.topology.elements import MAX_NAME
from tercast.topology.topology import Topology

STUB_LINK, STUB_HOST = 1, 2
"""Ports of a stub: the border link, and the host that represents the neighbour."""

CELL_PREFIX = "x:border:"
"""Begin of the ids of registrations that are cells of a neighbour: `x:`, and the name of a border."""


def border_name(switch: str, port: int) -> str:
    """Return the name of the border at a port, which is also that of its stub and its host."""
    name = f"border:{switch}:{port}"
    if len(name) > MAX_NAME:
        name = f"border:{hashlib.sha256(switch.encode()).hexdigest()}:{port}"
    return name


def add_border(topology: Topology, switch: str, port: int, cost: float, path: Path = ()) -> str:
    """Add a stub with link and host at a free port; return the border's name."""
    name = border_name(switch, port)
    if switch in topology.borders:
        rule = f"{shown(switch)} represents a neighbour; a border begins at a switch of this network"
        raise Refused((*path, "switch"), "unknown_switch", rule, switch)
    if name in topology.switches or name in topology.hosts:
        raise Refused((*path, "port"), "duplicate", f"there is already a border {shown(name)}", port)
    dpid, ip, mac = _free_addresses(topology, name)
    trial = topology.copy()
    for network in (trial, topology):  # an invalid end is refused before the network changes
        network.add_switch({"id": name, "dpid": dpid}, path)
        link = {"a": switch, "a_port": port, "b": name, "b_port": STUB_LINK, "cost": cost}
        try:
            network.add_link(link)
        except Refused as refused:
            key = "switch" if refused.path == ("a",) else "port"
            raise Refused((*path, key), refused.code, refused.detail, refused.value) from None
        network.add_host({"id": name, "switch": name, "port": STUB_HOST, "ip": ip, "mac": mac}, path)
    topology.borders[name] = (switch, port)
    return name


def remove_border(topology: Topology, switch: str, port: int, path: Path = ()) -> str:
    """Remove the stub at a port; return the border's name."""
    name = known_border(topology, border_name(switch, port), (*path, "port"))
    topology.remove_host(name)
    topology.remove_link(name, STUB_LINK)
    topology.remove_switch(name)
    del topology.borders[name]
    return name


def known_border(topology: Topology, name: str, path: Path = ()) -> str:
    """Return the name of a border; raise Refused if there is none."""
    if name not in topology.borders:
        detail = unknown_name("border", name, topology.borders)
        raise Refused(path, "unknown_port", detail, name)
    return name


def _free_addresses(topology: Topology, name: str) -> tuple[str, str, str]:
    """Return a datapath id, an IP and a MAC address that no part of the network has.

    They follow from the name, so that the same requests result in the same network. The IP addresses are in
    ranges that no network assigns: 240.0.0.0/4 (RFC 1112) and 100::/64 (RFC 6666).
    """
    used = {host.ip for host in topology.hosts.values()} | {host.mac for host in topology.hosts.values()}
    used |= {switch.dpid for switch in topology.switches.values()}
    for attempt in count():
        digest = hashlib.sha256(f"{attempt} {name}".encode()).digest()
        dpid = digest[:8].hex()
        if topology.family == "ipv4":
            ip = str(ipaddress.IPv4Address(0xF0000000 | int.from_bytes(digest[8:12], "big") >> 5))
        else:
            ip = str(ipaddress.IPv6Address((0x100 << 112) | int.from_bytes(digest[8:16], "big")))
        mac = ":".join(f"{byte:02x}" for byte in (digest[16] & 0xFC | 2, *digest[17:22]))
        if int(dpid, 16) and used.isdisjoint((dpid, ip, mac)):
            break
    return dpid, ip, mac
