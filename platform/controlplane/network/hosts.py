"""Hosts: checks of bodies, and requests for the planner."""

from typing import Any

from django.db import transaction

from controlplane.network.models import Host, Switch
from controlplane.network.ports import End, check_switch, find_switches, link_ends, lock_switches
from controlplane.network.services import ObjectKind, changeable, counted
from controlplane.requestlog.logged_rows import Payload, log_one
from controlplane.requestlog.models import Request
from controlplane.rest.request_body import Body, Errors
from tercast.errors import Path
from tercast.requests.kinds import ADD_HOST, HOST_MOVE, REMOVE_HOST


def draft(body: Body) -> list[Host]:
    """Return the new hosts of a body; names and addresses are free, ports have no link."""
    for field, what in (("name", "name"), ("ip", "address"), ("mac", "MAC address")):
        values = list(body.values(field))
        taken = Host.objects.filter(**{f"{field}__in": values}).values_list(field, "name")
        body.add_if_free(field, {value: f"host {name}" for value, name in taken}, what)
    names = body.values("switch") | {end["switch"] for item in body.items for end in _standby(item)}
    if transaction.get_connection().in_atomic_block:
        lock_switches(names)
    known, links = find_switches(names), link_ends(names)
    for index, item in enumerate(body.items):
        _check_ends(body.errors, index, item, known, links)
    body.errors.check()
    return [Host(**{**item, "switch": known[item["switch"]]}) for item in body.items]


def _standby(item: dict[str, Any]) -> list[dict[str, Any]]:
    return [end for end in item.get("standby", ()) if "switch" in end]


def _check_ends(
    errors: Errors, index: int, item: dict[str, Any], known: dict[str, Switch], links: dict[End, str]
) -> None:
    ends: list[tuple[Path, dict[str, Any]]] = [((), item)]
    ends += [(("standby", i), end) for i, end in enumerate(_standby(item))]
    seen: set[End] = set()
    for path, end in ends:
        if "switch" in end:
            check_switch(errors, index, (*path, "switch"), end["switch"], known)
        if "switch" not in end or "port" not in end:
            continue
        at = (end["switch"], end["port"])
        if at in links:
            detail = f"port {at[1]} of {at[0]} is used by {links[at]}. Choose a port without a link."
            errors.add(index, (*path, "port"), "port_in_use", detail, at[1])
        if at in seen:
            detail = f"port {at[1]} of {at[0]} occurs twice in the host's attachments. Keep one."
            errors.add(index, (*path, "port"), "repeated_port", detail, at[1])
        seen.add(at)


def payload(row: Host) -> Payload:
    """Return the request that adds the host."""
    host = {
        "id": row.name,
        "switch": row.switch.name,
        "port": row.port,
        "ip": row.ip,
        "mac": row.mac,
        "standby": row.standby,
    }
    return {"op": ADD_HOST, "host": host}


def removal(row: Host) -> Payload:
    """Return the request that removes the host."""
    return {"op": REMOVE_HOST, "host": row.name}


def users(row: Host) -> list[str]:
    """Return what prevents the removal of the host."""
    return counted(row.publishers.count(), "publisher") + counted(row.subscribers.count(), "subscriber")


KIND = ObjectKind(Host, "host", draft, payload, removal, users)


def check_change(body: Body) -> None:
    """Add an error if the new switch of a change does not exist."""
    name = body.items[0].get("switch")
    if name is not None:
        check_switch(body.errors, 0, ("switch",), name, find_switches({name}))


def change_payload(row: Host, values: dict[str, Any]) -> Payload | None:
    """Return the request that moves the host; None without a move.

    Raises:
        Problem: The host cannot be attached there.
    """
    if not values:
        return None
    errors = Errors()
    switch, port = values.get("switch", row.switch.name), values.get("port", row.port)
    end = {"switch": switch, "port": port}
    # One of its standby attachments may become the primary one; it stays known for later moves.
    _check_ends(errors, 0, end, find_switches({switch}), link_ends({switch}))
    errors.check()
    return {"op": HOST_MOVE, "host": row.name, **end}


def change(pk: int, values: dict[str, Any], actor: Any) -> tuple[Host, Request | None]:
    """Log the move of a host."""
    with transaction.atomic():
        row: Host = changeable(KIND, pk)
        lock_switches({values.get("switch", row.switch.name)})
        asked = change_payload(row, values)
        return row, log_one(asked, actor) if asked else None
