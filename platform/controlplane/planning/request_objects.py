"""Objects of the API that the requests of the log change."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q

from controlplane.accounts.callers import PUBLISHER, Client
from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.requestlog.models import Request
from controlplane.requestlog.subjects import NamedSubject, named
from controlplane.rest.base_views import url

RESOURCES = {
    "topic": "topics",
    "advertisement": "advertisements",
    "subscription": "subscriptions",
    "switch": "switches",
    "link": "links",
    "host": "hosts",
}


def of_client(client: Client) -> Q:
    """Return the condition for requests that announce or withdraw for a publisher or subscriber."""
    model: Any = Advertisement if client.kind == PUBLISHER else Subscription
    mine = model._default_manager.filter(**{client.kind: client.pk})
    return Q(pk__in=mine.values("request")) | Q(
        pk__in=mine.filter(withdrawal__isnull=False).values("withdrawal")
    )


def objects_of(requests: Sequence[Request]) -> dict[int, dict[str, Any] | None]:
    """Return the objects by request id as `{"type", "name", "id", "url"}`.

    `id` and `url` are null for removed objects. This takes at most one query for each type of object.
    """
    names = {request.pk: named(request.payload) for request in requests}
    ids = _ids({name for name in names.values() if name is not None})
    return {pk: None if name is None else _object(name, ids.get(name)) for pk, name in names.items()}


def _object(name: NamedSubject, pk: int | None) -> dict[str, Any]:
    address = None if pk is None else url(RESOURCES[name.type], pk)
    return {"type": name.type, "name": name.shown, "id": pk, "url": address}


def _ids(names: set[NamedSubject]) -> dict[NamedSubject, int]:
    ids = {name: int(name.name[1:]) for name in names if name.type in ("advertisement", "subscription")}
    for kind, model in (("topic", Topic), ("switch", Switch), ("host", Host)):
        wanted = {name.name for name in names if name.type == kind}
        if wanted:
            rows = model._default_manager.filter(name__in=wanted).values_list("name", "pk")
            ids |= {NamedSubject(kind, name): pk for name, pk in rows}
    return ids | _link_ids({name for name in names if name.type == "link"})


def _link_ids(names: Iterable[NamedSubject]) -> dict[NamedSubject, int]:
    switches = {name.name for name in names}
    if not switches:
        return {}
    rows = Link.objects.filter(a__name__in=switches) | Link.objects.filter(b__name__in=switches)
    out = {}
    for pk, a, a_port, b, b_port in rows.values_list("pk", "a__name", "a_port", "b__name", "b_port"):
        out[NamedSubject("link", a, a_port)] = pk
        out[NamedSubject("link", b, b_port)] = pk
    return out
