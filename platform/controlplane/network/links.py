"""Links: checks of bodies, and requests for the planner."""

from typing import Any

from django.db import transaction
from django.db.models import Q

from controlplane.network.models import Link, Port, Switch
from controlplane.network.ports import (
    End,
    check_switch,
    find_switches,
    host_ends,
    link_ends,
    lock_switches,
)
from controlplane.network.services import ObjectKind, changeable
from controlplane.requestlog.logged_rows import Payload, log_one
from controlplane.requestlog.models import Request
from controlplane.rest.request_body import Body
from tercast.requests.kinds import ADD_LINK, LINK_DOWN, LINK_UP, REMOVE_LINK


def draft(body: Body) -> list[Link]:
    """Return the new links of a body, each between two different known switches and free ports."""
    names = body.values("a") | body.values("b")
    if transaction.get_connection().in_atomic_block:
        lock_switches(names)
    known = find_switches(names)
    taken = host_ends(names) | link_ends(names)
    rows = [_draft_one(body, index, item, known, taken) for index, item in enumerate(body.items)]
    body.errors.check()
    return [row for row in rows if row is not None]


def _draft_one(
    body: Body, index: int, item: dict[str, Any], known: dict[str, Switch], taken: dict[End, str]
) -> Link | None:
    errors = body.errors
    found = {
        side: check_switch(errors, index, (side,), item[side], known) for side in ("a", "b") if side in item
    }
    if "a" in item and item.get("a") == item.get("b"):
        errors.add(
            index, ("b",), "self_link", f"a and b are both {item['a']}; a link joins two switches.", item["b"]
        )
    for side in ("a", "b"):
        if side in item and f"{side}_port" in item:
            _take_port(body, index, side, item, taken)
    if index in errors.bad:
        return None
    return Link(a=found["a"], a_port=item["a_port"], b=found["b"], b_port=item["b_port"], cost=item["cost"])


def _take_port(body: Body, index: int, side: str, item: dict[str, Any], taken: dict[End, str]) -> None:
    end = (item[side], item[f"{side}_port"])
    if end in taken:
        detail = f"port {end[1]} of {end[0]} is used by {taken[end]}. Choose a free port."
        body.errors.add(index, (f"{side}_port",), "port_in_use", detail, end[1])
    else:
        taken[end] = f"item {index}" if body.bulk else "this link's other end"


def payload(row: Link) -> Payload:
    """Return the request that adds the link."""
    ends = {"a": row.a.name, "a_port": row.a_port, "b": row.b.name, "b_port": row.b_port}
    return {"op": ADD_LINK, "link": {**ends, "cost": row.cost}}


def removal(row: Link) -> Payload:
    """Return the request that removes the link."""
    return {"op": REMOVE_LINK, "switch": row.a.name, "port": row.a_port}


def users(row: Link) -> list[str]:
    """Return nothing, because nothing prevents the removal of a link: trees use other paths."""
    return []


KIND = ObjectKind(Link, "link", draft, payload, removal, users)


def change_payload(row: Link, values: dict[str, Any]) -> Payload | None:
    """Return the request that takes the link up or down; None if `up` does not change."""
    if "up" not in values:
        return None
    place = {"switch": row.a.name, "port": row.a_port}
    if values["up"]:
        return {"op": LINK_UP, **place}
    working = {"planned": True} if row.up and not _is_broken(row) else {}
    return {"op": LINK_DOWN, **place, **working}


def _is_broken(row: Link) -> bool:
    """Whether a port of the link is down."""
    ends = Q(switch=row.a, number=row.a_port) | Q(switch=row.b, number=row.b_port)
    return Port.objects.filter(ends, up=False).exists()


def change(pk: int, values: dict[str, Any], actor: Any) -> tuple[Link, Request | None]:
    """Log the change of a link."""
    with transaction.atomic():
        row: Link = changeable(KIND, pk)
        asked = change_payload(row, values)
        return row, log_one(asked, actor) if asked else None
