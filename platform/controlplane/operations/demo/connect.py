"""Addresses for switches, the commands to enter there, and switches that do not connect."""

import ipaddress
import socket
from contextlib import suppress
from dataclasses import replace
from typing import Any

from django.conf import settings

from controlplane.network.controller_client import ControllerClient, Listening, NorthboundError
from controlplane.network.models import Switch

WAITING = 20
"""Largest number of listed switches."""

_LOOPBACK = (
    "The controller listens on this machine only. To accept switches of other machines, start with "
    '`make run ARGS="--empty --openflow 0.0.0.0"`, or set `TERCAST_OPENFLOW=0.0.0.0:{port}` and restart the '
    "controller."
)
_TLS = (
    "Switches connect over TLS and need a certificate from the controller's authority. For tests, "
    "`tercast certificates FOLDER NAME=DPID` creates one that proves the datapath id. Copy its key, its "
    "certificate and the authority's certificate to the switch before you run the command."
)
_UNREPORTED = " The addresses come from the setting `TERCAST_OPENFLOW`."


def connect() -> dict[str, Any]:
    """Return addresses, commands, unconnected registered switches and unregistered ones."""
    listening, seen, problem = _read_controller()
    reported = listening is not None
    listening = listening or Listening(*settings.ENV.openflow)
    is_local, is_tls = ipaddress.ip_address(listening.address).is_loopback, listening.scheme == "ssl"
    addresses = [str(replace(listening, address=address)) for address in _addresses(listening.address)]
    rows = Switch.objects.filter(connected=False).order_by("id")
    names = rows.values_list("name", "dpid")[:WAITING]
    waiting = [_waiting(name, dpid, addresses[0]) for name, dpid in names]
    notes = [_LOOPBACK.format(port=listening.port)] * is_local + [_TLS] * is_tls
    known = set(Switch.objects.values_list("dpid", flat=True))
    unknown = [{"dpid": row["dpid"], "address": row["address"]} for row in seen if row["dpid"] not in known]
    return {
        "addresses": addresses,
        "local_only": is_local,
        "tls": is_tls,
        "reported": reported,
        "note": " ".join(notes),
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
    files = f"/etc/openvswitch/{bridge}-key.pem /etc/openvswitch/{bridge}.pem /etc/openvswitch/ca.pem"
    certificate = f"ovs-vsctl set-ssl {files} && " if address.startswith("ssl:") else ""
    return (
        f"{certificate}ovs-vsctl set bridge {bridge} protocols=OpenFlow13 fail_mode=secure && "
        f"ovs-vsctl set-controller {bridge} {address}"
    )


def _read_controller() -> tuple[Listening | None, list[dict[str, Any]], str]:
    """Ask for the controller's address and switches; the third value is the problem or empty."""
    listening = None
    try:
        with ControllerClient(seconds=2.0) as northbound:
            listening = northbound.listening()
            return listening, northbound.switches(), ""
    except NorthboundError as error:
        problem = f"The controller does not answer: {error}."
        return listening, [], problem if listening else problem + _UNREPORTED


def _addresses(host: str) -> list[str]:
    """Return the addresses for switches: all of this machine if the controller listens on all."""
    address = ipaddress.ip_address(host)
    if not address.is_unspecified:
        return [host]
    found: dict[str, None] = {}
    for family, target in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        if family == socket.AF_INET6 and address.version == 4:
            continue
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((target, 9))  # sends nothing; the system chooses the local address
            found[probe.getsockname()[0]] = None
    return list(found) or ["127.0.0.1"]
