"""Lookup of the host that sent a control message, by its port and addresses."""

import ipaddress
from typing import Any

from django.conf import settings
from django.db.models import Q

from controlplane.network import hosts, services
from controlplane.network.availability import unusable
from controlplane.network.models import Host, Port, Switch
from controlplane.requestlog.models import FINAL_STATES, Request
from controlplane.rest.request_body import Body, Errors
from controlplane.signalling.errors import Refusing
from controlplane.signalling.host_datagram import HostDatagram
from controlplane.signalling.models import HostSignals, Policy
from tercast.requests.kinds import HOST_MOVE

MAX_HOSTS = 16
"""Largest number of hosts that may register themselves at one port."""

_FIRST_GROUP = 224
"""First byte from which IPv4 addresses are multicast, reserved, or broadcast."""


def find(datagram: HostDatagram) -> Host | None:
    """Return the host with these addresses, at any port; None if there is none.

    The result has `signals`, and its row is locked if the database supports that.

    Raises:
        Refusing: The addresses are invalid, or those of different hosts.
    """
    _check_sender(datagram)
    rows = Host.objects.select_related("switch", "request", "removal").select_for_update(
        of=("self",), no_key=True
    )
    found = list(rows.filter(Q(ip=datagram.ip) | Q(mac=datagram.mac)).order_by("id"))
    for row in found:
        if (row.ip, row.mac) == (datagram.ip, datagram.mac):
            refusal = unusable(row, "host")
            if refusal is not None:
                raise Refusing(*refusal)
            HostSignals.objects.get_or_create(host=row)
            return row
    if found:
        detail = (
            f"the sender has the addresses {datagram.ip} and {datagram.mac}, but only one of them belongs to "
            f"host {found[0].name}; register both addresses of the host, or use another address"
        )
        raise Refusing("address_taken", detail)
    return None


def is_at(host: Host, datagram: HostDatagram) -> bool:
    """Whether the message entered at an attachment of the host, present, standby or future."""
    if (host.switch.dpid, host.port) == (datagram.dpid, datagram.port):
        return True
    names = [end["switch"] for end in host.standby if end["port"] == datagram.port]
    target = _target(host)
    if target is not None and target["port"] == datagram.port:
        names.append(target["switch"])
    return Switch.objects.filter(name__in=names, dpid=datagram.dpid).exists()


def _target(host: Host) -> dict[str, Any] | None:
    """Return switch and port that the host moves to; None if it does not move."""
    rows = Request.objects.exclude(state__in=FINAL_STATES).filter(kind=HOST_MOVE, payload__host=host.name)
    row = rows.order_by("-id").first()
    return None if row is None else row.payload


def register(datagram: HostDatagram) -> Host:
    """Register an unknown host at its own request.

    Raises:
        Refusing, Problem: The registration is refused.
    """
    _check_policy(datagram)
    _check_address(datagram.ip)
    switch = Switch.objects.filter(dpid=datagram.dpid).first()
    if switch is None:
        raise Refusing(
            "unknown_switch", f"switch {datagram.dpid} is not registered; add it to the network first"
        )
    own = Host.objects.filter(switch=switch, port=datagram.port, signals__in_band=True).count()
    if own >= MAX_HOSTS:
        detail = (
            f"{own} hosts have already registered themselves at port {datagram.port} of {switch.name}, which "
            "is the limit; register further hosts there with the REST API"
        )
        raise Refusing("too_many_hosts", detail)
    name = _free_name(datagram.mac)
    item = {
        "name": name,
        "switch": switch.name,
        "port": datagram.port,
        "ip": datagram.ip,
        "mac": datagram.mac,
        "standby": [],
    }
    services.add(hosts.KIND, Body([item], Errors(), False), None)
    row = Host.objects.select_related("switch", "request", "removal").get(name=name)
    HostSignals.objects.create(host=row, in_band=True)
    return row


def _check_policy(datagram: HostDatagram) -> None:
    """Raise Refusing if unknown hosts may not register themselves."""
    policy = Policy.current()
    if not policy.self_registration:
        detail = (
            f"no host is registered with {datagram.ip} and {datagram.mac}; register it, or allow unknown "
            "hosts to register themselves (page Health and audit, tab Signalling)"
        )
        raise Refusing("unknown_host", detail)
    if policy.sealed_only:
        detail = (
            "the platform accepts only sealed messages, and this host is not registered; register it and "
            "create a key for it"
        )
        raise Refusing("key_needed", detail)


def _check_sender(datagram: HostDatagram) -> None:
    """Raise Refusing for addresses that no single host can have, so no answer is possible."""
    if int(datagram.mac[:2], 16) & 1 or not int(datagram.mac.replace(":", ""), 16):
        raise Refusing(
            "not_unicast", f"{datagram.mac} is a group address or zero; send from the MAC address of the host"
        )
    address = ipaddress.ip_address(datagram.ip)
    beyond = address.version == 4 and address.packed[0] >= _FIRST_GROUP
    if beyond or address.is_multicast or address.is_unspecified or address.is_loopback:
        raise Refusing(
            "not_unicast", f"{datagram.ip} is not a unicast address; send from an IP address of the host"
        )


def _check_address(text: str) -> None:
    address = ipaddress.ip_address(text)
    version = 4 if settings.ADDRESS_FAMILY == "ipv4" else 6
    if address.version != version:
        raise Refusing(
            "wrong_family",
            f"{text} is not an IPv{version} address, which this network uses; send from an IPv{version} "
            "address",
        )
    if address.is_link_local and version == 6:
        raise Refusing("link_local", f"{text} is link-local; send from a permanent address of the host")


def _free_name(mac: str) -> str:
    base = "host-" + mac.replace(":", "")
    taken = set(Host.objects.filter(name__startswith=base).values_list("name", flat=True))
    return next(name for n in range(len(taken) + 1) if (name := f"{base}-{n}" if n else base) not in taken)


def move_host(host: Host, datagram: HostDatagram, proven: bool) -> None:
    """Move a host in the network after a message from its new port.

    `proven` means that an unused seal identifies the host. Otherwise it counts as moved only if its old port
    is down.

    Raises:
        Refusing: The move is not proven, or the switch is unknown.
    """
    if not proven and _is_up(host):
        detail = (
            f"host {host.name} is registered at port {host.port} of {host.switch.name}, and that port is "
            "up; an operator must move the host to its new port, or create a key for it"
        )
        raise Refusing("host_elsewhere", detail)
    switch = Switch.objects.filter(dpid=datagram.dpid).first()
    if switch is None:
        raise Refusing(
            "unknown_switch", f"switch {datagram.dpid} is not registered; add it to the network first"
        )
    hosts.change(host.pk, {"switch": switch.name, "port": datagram.port}, None)


def _is_up(host: Host) -> bool:
    if not host.switch.connected:
        return True  # the state of the port is unknown
    return not Port.objects.filter(switch=host.switch, number=host.port, up=False).exists()
