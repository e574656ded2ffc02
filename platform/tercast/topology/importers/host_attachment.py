"""Attachment of new hosts to every switch of an imported topology."""

from typing import Any

from tercast.errors import Refused, shown
from tercast.topology.importers.address_pool import Addresses
from tercast.topology.importers.limits import check_hosts
from tercast.topology.importers.port_numbers import Ports
from tercast.topology.importers.repair import host_row


def attach_hosts(topology: dict[str, Any], per_switch: int, ports: Ports, addresses: Addresses) -> None:
    """Add `per_switch` hosts `h-SWITCH-N` to each switch of the topology, each on an own port."""
    hosts, switches = topology["hosts"], topology["switches"]
    check_hosts(len(hosts) + per_switch * len(switches))
    taken = {row["id"] for row in (*hosts, *switches)}
    for switch in (row["id"] for row in switches):
        for number in range(1, per_switch + 1):
            name = f"h-{switch}-{number}"
            if name in taken:
                detail = (
                    f"the import would add a host {shown(name)}, but the file has this id already; import "
                    "it with 0 hosts per switch"
                )
                raise Refused((), "host_id", detail, name)
            hosts.append(host_row(name, [(switch, ports.take(switch))], *addresses.fill()))
