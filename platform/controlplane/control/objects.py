"""Which object of the API each request of the log is about."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Q

from controlplane.accounts.callers import PUBLISHER, Client
from controlplane.api.views import url
from controlplane.control.models import Request
from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Advertisement, Subscription, Topic

RESOURCES = {
    "topic": "topics",
    "advertisement": "advertisements",
    "subscription": "subscriptions",
    "switch": "switches",
    "link": "links",
    "host": "hosts",
}

_TYPES = {
    "advertise": "advertisement",
    "unadvertise": "advertisement",
    "subscribe": "subscription",
    "unsubscribe": "subscription",
    "add_switch": "switch",
    "remove_switch": "switch",
    "switch_up": "switch",
    "switch_down": "switch",
    "set_budget": "switch",
    "set_reserve": "switch",
    "set_capacity": "switch",
    "add_link": "link",
    "remove_link": "link",
    "link_up": "link",
    "link_down": "link",
    "add_host": "host",
    "remove_host": "host",
    "host_move": "host",
    "add_topic": "topic",
    "remove_topic": "topic",
    "set_indexed": "topic",
}


class Named(NamedTuple):
    """An object by the name that the planner knows; `port` only for links (one of their two ends)."""

    type: str
    name: str
    port: int | None = None


def named(payload: dict[str, Any]) -> Named | None:
    """What a request's payload is about; None for what concerns no single object."""
    kind = _TYPES.get(payload["op"])
    if kind is None:
        return None
    if kind in ("advertisement", "subscription"):
        return Named(kind, payload["id"])
    if kind == "link":
        link = payload.get("link")
        return (
            Named(kind, link["a"], link["a_port"])
            if link
            else Named(kind, payload["switch"], payload["port"])
        )
    value = payload[kind]
    return Named(kind, value if isinstance(value, str) else value.get("id") or value["name"])


def of_client(client: Client) -> Q:
    """The requests that announce or withdraw something of a publisher or subscriber."""
    model: Any = Advertisement if client.kind == PUBLISHER else Subscription
    mine = model._default_manager.filter(**{client.kind: client.pk})
    return Q(pk__in=mine.values("request")) | Q(
        pk__in=mine.filter(withdrawal__isnull=False).values("withdrawal")
    )


def objects_of(requests: Sequence[Request]) -> dict[int, dict[str, Any] | None]:
    """By the requests' ids: `{"type", "name", "id", "url"}`; id and url are null for what is gone.

    Takes at most one query for each type of object.
    """
    names = {request.pk: named(request.payload) for request in requests}
    ids = _ids({name for name in names.values() if name is not None})
    return {pk: None if name is None else _object(name, ids.get(name)) for pk, name in names.items()}


def _object(name: Named, pk: int | None) -> dict[str, Any]:
    shown = name.name if name.port is None else f"{name.name}:{name.port}"
    address = None if pk is None else url(RESOURCES[name.type], pk)
    return {"type": name.type, "name": shown, "id": pk, "url": address}


def _ids(names: set[Named]) -> dict[Named, int]:
    ids = {name: int(name.name[1:]) for name in names if name.type in ("advertisement", "subscription")}
    for kind, model in (("topic", Topic), ("switch", Switch), ("host", Host)):
        wanted = {name.name for name in names if name.type == kind}
        if wanted:
            rows = model._default_manager.filter(name__in=wanted).values_list("name", "pk")
            ids |= {Named(kind, name): pk for name, pk in rows}
    return ids | _link_ids({name for name in names if name.type == "link"})


def _link_ids(names: Iterable[Named]) -> dict[Named, int]:
    switches = {name.name for name in names}
    if not switches:
        return {}
    rows = Link.objects.filter(a__name__in=switches) | Link.objects.filter(b__name__in=switches)
    out = {}
    for pk, a, a_port, b, b_port in rows.values_list("pk", "a__name", "a_port", "b__name", "b_port"):
        out[Named("link", a, a_port)] = pk
        out[Named("link", b, b_port)] = pk
    return out
