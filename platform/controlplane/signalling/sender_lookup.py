"""Which host a control message is from: by the port that it entered, and the sender's addresses."""

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
from controlplane.signalling.models import HostSignals, Policy
from controlplane.signalling.signal import Signal
from tercast.requests.kinds import HOST_MOVE

MAX_HOSTS = 16
"""Hosts that may register themselves at one port."""

_FIRST_GROUP = 224
"""First byte of the IPv4 addresses that belong to groups, are reserved, or mean all hosts."""


def find(signal: Signal) -> Host | None:
    """The host that has these addresses, wherever it is; None when nobody has them. Raises Refusing.

    Its `signals` are there. The row is locked where the database can.
    """
    _check_sender(signal)
    rows = Host.objects.select_related("switch", "request", "removal").select_for_update(
        of=("self",), no_key=True
    )
    found = list(rows.filter(Q(ip=signal.ip) | Q(mac=signal.mac)).order_by("id"))
    for row in found:
        if (row.ip, row.mac) == (signal.ip, signal.mac):
            refusal = unusable(row, "host")
            if refusal is not None:
                raise Refusing(*refusal)
            HostSignals.objects.get_or_create(host=row)
            return row
    if found:
        detail = (
            f"{signal.ip} or {signal.mac} belongs to host {found[0].name}, with another address beside it"
        )
        raise Refusing("address_taken", detail)
    return None


def is_at(host: Host, signal: Signal) -> bool:
    """Whether the message entered where the host is attached or moves to, standby attachments included."""
    if (host.switch.dpid, host.port) == (signal.dpid, signal.port):
        return True
    names = [end["switch"] for end in host.standby if end["port"] == signal.port]
    target = _target(host)
    if target is not None and target["port"] == signal.port:
        names.append(target["switch"])
    return Switch.objects.filter(name__in=names, dpid=signal.dpid).exists()


def _target(host: Host) -> dict[str, Any] | None:
    """Switch and port that the host is on its way to; None when it stays."""
    rows = Request.objects.exclude(state__in=FINAL_STATES).filter(kind=HOST_MOVE, payload__host=host.name)
    row = rows.order_by("-id").first()
    return None if row is None else row.payload


def register(signal: Signal) -> Host:
    """A host that is not known registers itself. Raises Refusing, and Problem."""
    policy = Policy.current()
    if not policy.self_registration:
        detail = (
            f"no host with {signal.ip} and {signal.mac} is known here, and hosts may not register themselves"
        )
        raise Refusing("unknown_host", detail)
    if policy.sealed_only:
        raise Refusing("key_needed", "hosts need a key here, and a host that is not known has none")
    _check_address(signal.ip)
    switch = Switch.objects.filter(dpid=signal.dpid).first()
    if switch is None:
        raise Refusing("unknown_switch", f"switch {signal.dpid} is not part of the network")
    own = Host.objects.filter(switch=switch, port=signal.port, signals__in_band=True).count()
    if own >= MAX_HOSTS:
        detail = f"{own} hosts have registered themselves at port {signal.port} of {switch.name}; no more may"
        raise Refusing("too_many_hosts", detail)
    name = _free_name(signal.mac)
    item = {
        "name": name,
        "switch": switch.name,
        "port": signal.port,
        "ip": signal.ip,
        "mac": signal.mac,
        "standby": [],
    }
    services.add(hosts.KIND, Body([item], Errors(), False), None)
    row = Host.objects.select_related("switch", "request", "removal").get(name=name)
    HostSignals.objects.create(host=row, in_band=True)
    return row


def _check_sender(signal: Signal) -> None:
    """Raises Refusing for addresses that no single host can have, so that nobody could be answered."""
    if int(signal.mac[:2], 16) & 1 or not int(signal.mac.replace(":", ""), 16):
        raise Refusing("not_unicast", f"{signal.mac} is no MAC address of one host")
    address = ipaddress.ip_address(signal.ip)
    beyond = address.version == 4 and address.packed[0] >= _FIRST_GROUP
    if beyond or address.is_multicast or address.is_unspecified or address.is_loopback:
        raise Refusing("not_unicast", f"{signal.ip} is no address of one host")


def _check_address(text: str) -> None:
    address = ipaddress.ip_address(text)
    version = 4 if settings.ADDRESS_FAMILY == "ipv4" else 6
    if address.version != version:
        raise Refusing("wrong_family", f"{text} is no address of the network's family, IPv{version}")
    if address.is_link_local and version == 6:
        raise Refusing("link_local", f"{text} is link-local; send from an address that the host has for good")


def _free_name(mac: str) -> str:
    base = "host-" + mac.replace(":", "")
    taken = set(Host.objects.filter(name__startswith=base).values_list("name", flat=True))
    return next(name for n in range(len(taken) + 1) if (name := f"{base}-{n}" if n else base) not in taken)


def follow(host: Host, signal: Signal, proven: bool) -> None:
    """The host has moved, and asks from its new port: so does its place in the network. Raises Refusing.

    `proven`: a seal that was not used before shows that it is the host. Otherwise it counts as moved when
    its old port is down.
    """
    if not proven and _is_up(host):
        detail = (
            f"host {host.name} is at port {host.port} of {host.switch.name}, which is up; "
            "move it there first, or give it a key"
        )
        raise Refusing("host_elsewhere", detail)
    switch = Switch.objects.filter(dpid=signal.dpid).first()
    if switch is None:
        raise Refusing("unknown_switch", f"switch {signal.dpid} is not part of the network")
    hosts.change(host.pk, {"switch": switch.name, "port": signal.port}, None)


def _is_up(host: Host) -> bool:
    if not host.switch.connected:
        return True  # who can say
    return not Port.objects.filter(switch=host.switch, number=host.port, up=False).exists()
