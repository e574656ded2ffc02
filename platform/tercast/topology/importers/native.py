"""Tercast's own topologies, alone or in a scenario: read strictly, without repairs."""

from collections.abc import Iterator
from typing import Any

from tercast.topology.importers.address_pool import Addresses
from tercast.topology.importers.port_numbers import Ports
from tercast.topology.reader import read_topology

_SHOWN = ("name", "lat", "lon")


def is_own(document: object) -> bool:
    """Whether a JSON document is a scenario, or a topology in the format of scenarios."""
    if not isinstance(document, dict):
        return False
    inner = document.get("topology")
    if "topology" in document and ("format" in document or isinstance(inner, dict)):
        return True
    switches = document.get("switches")
    first = switches[0] if isinstance(switches, list) and switches else None
    return isinstance(first, dict) and {"id", "dpid"} <= first.keys()


def read_own(document: dict[str, Any], ports: Ports, addresses: Addresses) -> dict[str, Any]:
    """Read the topology of the document; raise `RefusedMany` with all its errors."""
    path = ("topology",) if "topology" in document else ()
    given = document["topology"] if path else document
    topology: dict[str, Any] = read_topology(given, addresses.family, path).to_json()
    for row, source in zip(topology["switches"], given["switches"], strict=True):
        row |= {key: source[key] for key in _SHOWN if source.get(key) is not None}
    for switch, port in _used_ports(topology):
        ports.reserve(switch, port)
    for host in topology["hosts"]:
        addresses.keep(host["id"], host["ip"], host["mac"])
    return topology


def _used_ports(topology: dict[str, Any]) -> Iterator[tuple[str, int]]:
    for link in topology["links"]:
        yield link["a"], link["a_port"]
        yield link["b"], link["b_port"]
    for host in topology["hosts"]:
        for place in (host, *host.get("standby", ())):
            yield place["switch"], place["port"]
