"""Port status determines the state of links: a change of a port logs a request.

The watcher logs `link_down` for each link that went down, and `link_up` only for a link that it logged down.
So a link that an operator took out of service stays out of service.
"""

from typing import Any

from django.db import transaction

from controlplane.network.models import Host, Link, Port, Switch
from controlplane.requestlog import append, checkpoints
from tercast.requests.kinds import LINK_DOWN, LINK_UP

_DOWN = "ports logged down"

PortKey = tuple[int, int]


def record_port_status(rows: list[dict[str, Any]]) -> None:
    """Store the ports of connected switches, and log the changes of links and hosts."""
    by_dpid = {switch.dpid: switch for switch in Switch.objects.all()}
    reported = {
        (by_dpid[row["dpid"]].pk, port["port"]): port
        for row in rows
        if row["dpid"] in by_dpid
        for port in row["ports"]
    }
    switches = {by_dpid[row["dpid"]].pk for row in rows if row["dpid"] in by_dpid}
    if not _differ(switches, reported) and not _changes():
        return
    with transaction.atomic():
        _store(switches, reported)
        _log(_changes())


def _known(switches: set[int]) -> dict[PortKey, Port]:
    return {(port.switch_id, port.number): port for port in Port.objects.filter(switch__in=switches)}


def _facts(port: dict[str, Any]) -> tuple[str, str, bool]:
    return str(port.get("name", ""))[:64], str(port.get("mac", ""))[:17], bool(port["up"])


def _differ(switches: set[int], reported: dict[PortKey, dict[str, Any]]) -> bool:
    known = _known(switches)
    return known.keys() != reported.keys() or any(
        (known[key].name, known[key].mac, known[key].up) != _facts(port) for key, port in reported.items()
    )


def _store(switches: set[int], reported: dict[PortKey, dict[str, Any]]) -> None:
    known = _known(switches)
    gone = [port.pk for key, port in known.items() if key not in reported]
    Port.objects.filter(pk__in=gone).delete()
    for key, port in reported.items():
        name, mac, up = _facts(port)
        Port.objects.update_or_create(
            switch_id=key[0], number=key[1], defaults={"name": name, "mac": mac, "up": up}
        )


def _changes() -> list[tuple[str, dict[str, Any]]]:
    """Return the requests to log, each with its key in the watcher's memory."""
    logged = set(checkpoints.recall(_DOWN, []))
    down_ports = set(Port.objects.filter(up=False).values_list("switch_id", "number"))
    found = [
        (key, place)
        for key, place, is_down in (*_links(down_ports), *_hosts(down_ports))
        if is_down != (key in logged)
    ]
    return [(key, {"op": LINK_UP if key in logged else LINK_DOWN, **place}) for key, place in found]


def _links(down: set[PortKey]) -> list[tuple[str, dict[str, Any], bool]]:
    return [
        (
            f"link {link.pk}",
            {"switch": link.a.name, "port": link.a_port},
            (link.a_id, link.a_port) in down or (link.b_id, link.b_port) in down,
        )
        for link in Link.objects.select_related("a").filter(removal=None)
    ]


def _hosts(down: set[PortKey]) -> list[tuple[str, dict[str, Any], bool]]:
    """Return ports with hosts, primary and standby; several hosts at one port count once."""
    numbers = dict(Switch.objects.values_list("name", "pk"))
    places = set()
    for host in Host.objects.select_related("switch").filter(removal=None):
        places.add((host.switch.name, host.port))
        places |= {(place["switch"], place["port"]) for place in host.standby}
    return [
        (f"port {name}:{port}", {"switch": name, "port": port}, (numbers.get(name, 0), port) in down)
        for name, port in sorted(places)
    ]


def _log(changes: list[tuple[str, dict[str, Any]]]) -> None:
    if not changes:
        return
    logged = set(checkpoints.recall(_DOWN, []))
    for key, payload in changes:
        (logged.add if payload["op"] == LINK_DOWN else logged.discard)(key)
    checkpoints.store(_DOWN, sorted(logged))
    append.submit([append.LogEntry(payload) for _, payload in changes])
