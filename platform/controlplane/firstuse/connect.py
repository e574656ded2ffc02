"""Where switches connect, what to type at them, and which of them have yet to."""

import ipaddress
import socket
from contextlib import suppress
from typing import Any

from django.conf import settings

from controlplane.control.northbound import Northbound, NorthboundError
from controlplane.network.models import Switch

WAITING = 20
"""Switches that are listed at most."""

_LOOPBACK = (
    "The controller listens on this machine alone. So that switches elsewhere reach it, start with "
    '`make run ARGS="--empty --openflow 0.0.0.0"`, or the controller with `--openflow 0.0.0.0:{port}`.'
)


def connect() -> dict[str, Any]:
    """Addresses, commands, and the switches that are registered and not connected, or the other way round."""
    scheme, host, port = settings.ENV.openflow
    addresses = [f"{scheme}:{_bracketed(address)}:{port}" for address in _addresses(host)]
    rows = Switch.objects.filter(connected=False).order_by("id")
    names = rows.values_list("name", "dpid")[:WAITING]
    waiting = [_waiting(name, dpid, addresses[0]) for name, dpid in names]
    unknown, problem = _unknown()
    return {
        "addresses": addresses,
        "local_only": ipaddress.ip_address(host).is_loopback,
        "note": _LOOPBACK.format(port=port) if ipaddress.ip_address(host).is_loopback else "",
        "command": _command("BRIDGE", addresses[0]),
        "switches": Switch.objects.count(),
        "connected": Switch.objects.filter(connected=True).count(),
        "waiting": waiting,
        "unknown": unknown,
        "problem": problem,
    }


def _waiting(name: str, dpid: str, address: str) -> dict[str, str]:
    own = f"ovs-vsctl set bridge {name} other-config:datapath-id={dpid}"
    return {"name": name, "dpid": dpid, "command": f"{own} && {_command(name, address)}"}


def _command(bridge: str, address: str) -> str:
    return (
        f"ovs-vsctl set bridge {bridge} protocols=OpenFlow13 fail_mode=secure && "
        f"ovs-vsctl set-controller {bridge} {address}"
    )


def _unknown() -> tuple[list[dict[str, str]], str]:
    """The switches that are connected and not registered; and why that is not known."""
    try:
        with Northbound(seconds=2.0) as northbound:
            rows = northbound.switches()
    except NorthboundError as error:
        return [], f"The controller does not answer: {error}"
    known = set(Switch.objects.values_list("dpid", flat=True))
    return [{"dpid": row["dpid"], "address": row["address"]} for row in rows if row["dpid"] not in known], ""


def _addresses(host: str) -> list[str]:
    """Those that a switch may use: of this machine's own where the controller listens on all."""
    address = ipaddress.ip_address(host)
    if not address.is_unspecified:
        return [host]
    found: dict[str, None] = {}
    for family, target in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        if family == socket.AF_INET6 and address.version == 4:
            continue
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))  # sends nothing; tells the way there
            found[probe.getsockname()[0]] = None
    return list(found) or ["127.0.0.1"]


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
