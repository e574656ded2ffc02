"""Publishers and subscribers at hosts."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from controlplane.common.problems import conflict, no_such
from controlplane.network.availability import unusable
from controlplane.network.models import Host
from controlplane.network.services import counted
from controlplane.registry.announcements import LIVE
from controlplane.registry.models import Publisher, Subscriber
from controlplane.requestlog.logged_rows import racing, reserve_ids
from controlplane.rest.request_body import Body, taking
from tercast.errors import shown


@dataclass(frozen=True, slots=True)
class ParticipantKind:
    """Differences between publishers and subscribers. `announcements` names their announcements."""

    model: type[Any]
    noun: str
    resource: str
    announcements: str
    announced: str


PUBLISHER = ParticipantKind(Publisher, "publisher", "publishers", "advertisements", "advertisement")
SUBSCRIBER = ParticipantKind(Subscriber, "subscriber", "subscribers", "subscriptions", "subscription")


def draft(kind: ParticipantKind, body: Body) -> list[Any]:
    """Return the new rows of a body after checking their names and hosts; raise `Problem`."""
    taken = kind.model._default_manager.filter(name__in=list(body.values("name"))).values_list("name", "pk")
    body.add_if_free("name", {name: f"{kind.noun} {pk}" for name, pk in taken}, "name")
    hosts = _hosts(body)
    for index, item in enumerate(body.items):
        if "host" in item:
            _check_host(body, index, item["host"], hosts)
    body.errors.check()
    return [kind.model(name=item["name"], host=hosts[item["host"]]) for item in body.items]


def _hosts(body: Body) -> dict[str, Host]:
    rows = Host.objects.filter(name__in=list(body.values("host"))).select_related("request", "removal")
    if transaction.get_connection().in_atomic_block:
        rows = rows.select_for_update(of=("self",), no_key=True)
    return {row.name: row for row in rows.order_by("id")}


def _check_host(body: Body, index: int, name: str, hosts: dict[str, Host]) -> None:
    row = hosts.get(name)
    if row is None:
        body.errors.add(
            index, ("host",), "unknown_host", f"There is no host {shown(name)}. Add it first.", name
        )
        return
    refusal = unusable(row, "host")
    if refusal is not None:
        body.errors.add(index, ("host",), *refusal, name)


def add(kind: ParticipantKind, body: Body) -> list[Any]:
    """Store the body's items: all or none, or with `partly` only the valid ones."""
    return taking(body, lambda body: _add(kind, body))


def _add(kind: ParticipantKind, body: Body) -> list[Any]:
    with racing(), transaction.atomic():
        rows = draft(kind, body)
        for row, pk in zip(rows, reserve_ids(kind.model, len(rows)), strict=True):
            row.pk = pk
        kind.model._default_manager.bulk_create(rows, batch_size=2000)
        return rows


def removable(kind: ParticipantKind, pk: int, lock: bool = False) -> Any:
    """Return the row if it has no active announcement; raise `Problem` otherwise."""
    rows = kind.model._default_manager.all()
    row = (rows.select_for_update() if lock else rows).filter(pk=pk).first()
    if row is None:
        raise no_such(kind.noun, pk)
    live = getattr(row, kind.announcements).filter(LIVE).count()
    if live:
        users = counted(live, kind.announced)[0]
        raise conflict("in_use", f"To remove {kind.noun} {row.name}, first withdraw its {users}.")
    return row


def remove(kind: ParticipantKind, pk: int) -> None:
    """Delete the row and all its past announcements."""
    with racing(), transaction.atomic():
        row = removable(kind, pk, lock=True)
        getattr(row, kind.announcements).all().delete()
        row.delete()
