"""Parts of snapshots: registrations, cells, and a network with the parts that are down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercast.eventspace.dz import DzSet, parse, text
from tercast.requests.registry import Registration
from tercast.topology.reader import read_topology
from tercast.topology.topology import Topology


def topology_json(topology: Topology) -> dict[str, Any]:
    """Convert a network, its parts that are down, and the standby places that hosts use."""
    places = {host.id: host.own_standby for host in topology.hosts.values() if host.own_standby is not None}
    return {
        "topology": topology.to_json(),
        "down": _down(topology),
        **({"own_standby": places} if places else {}),
        **(
            {"borders": {name: list(port) for name, port in topology.borders.items()}}
            if topology.borders
            else {}
        ),
    }


def _down(topology: Topology) -> dict[str, Any]:
    return {
        "switches": sorted(topology.down_switches),
        "links": sorted([link.a, link.a_port] for link in topology.down_links),
        "ports": sorted([switch, port] for switch, port in topology.down_ports),
    }


def read_network(data: Mapping[str, Any], family: str) -> Topology:
    """Read the network of a `topology_json`."""
    topology = read_topology(data["topology"], family)
    for name, index in data.get("own_standby", {}).items():
        topology.hosts[name] = topology.hosts[name].with_own_standby(index)
    topology.borders = {name: (switch, port) for name, (switch, port) in data.get("borders", {}).items()}
    down = data["down"]
    topology.down_switches = set(down["switches"])
    topology.down_links = {topology.links[switch, port] for switch, port in down["links"]}
    topology.down_ports = {(switch, port) for switch, port in down["ports"]}
    return topology


def registration_json(registration: Registration) -> list[Any]:
    """Convert a registration to a row."""
    return [
        registration.seq,
        registration.kind,
        registration.id,
        registration.host,
        registration.topic,
        registration.filter,
        texts(registration.dz),
    ]


def read_registration(row: list[Any]) -> Registration:
    """Read the registration of a row."""
    seq, kind, name, host, topic, filter_text, cells = row
    return Registration(seq, kind, name, host, topic, filter_text, cells_of(cells))


def texts(cells: Iterable[int]) -> list[str]:
    """Convert cells to texts."""
    return [text(dz) for dz in cells]


def cells_of(texts: Iterable[str]) -> DzSet:
    """Read cells from texts, in their order."""
    return tuple(parse(cell) for cell in texts)
