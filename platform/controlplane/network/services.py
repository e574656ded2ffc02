"""Addition and removal of switches, links and hosts, with checks and log, in a transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from controlplane.common.problems import conflict, no_such
from controlplane.network.availability import failed_to_come, leaving
from controlplane.requestlog import rejected_items
from controlplane.requestlog.logged_rows import Logged, Payload, log_one, log_rows, racing
from controlplane.requestlog.models import Request
from controlplane.rest.request_body import Body, taking


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """Functions that differ between switches, links and hosts.

    `draft` returns the unsaved rows of a body or raises `Problem`. `payload` and `removal` return the
    planner's requests for a row. `users` returns what still needs a row.
    """

    model: type[Any]
    noun: str
    draft: Callable[[Body], list[Any]]
    payload: Callable[[Any], Payload]
    removal: Callable[[Any], Payload]
    users: Callable[[Any], list[str]]


def draft_payloads(kind: ObjectKind, body: Body) -> list[Payload]:
    """Return the requests that adding the body's items would log.

    Raises:
        Problem: The items are refused.
    """
    return [kind.payload(row) for row in taking(body, kind.draft)]


def add(kind: ObjectKind, body: Body, actor: Any) -> Logged:
    """Add the body's items: all or none, or only the valid ones."""
    return taking(body, lambda body: _add(kind, body, actor))


def _add(kind: ObjectKind, body: Body, actor: Any) -> Logged:
    with racing(), transaction.atomic():
        logged = log_rows(kind.draft(body), kind.payload, actor, body.bulk, body.places or None)
        rejected_items.store_rejected_items(logged, body)
        return logged


def removable(kind: ObjectKind, pk: int, lock: bool = False) -> Any:
    """Return the row if it can be removed.

    Raises:
        Problem: The row is in use, or is being removed (409).
    """
    row = find(kind, pk, lock)
    if leaving(row):
        raise conflict(
            "being_removed", f"The {kind.noun} is already being removed by request {row.removal_id}."
        )
    users = kind.users(row)
    if users:
        raise conflict("in_use", f"To remove {kind.noun} {row.name}, first remove its {' and '.join(users)}.")
    return row


def remove(kind: ObjectKind, pk: int, actor: Any) -> Request | None:
    """Request the removal; None if the network never had the row, which is deleted immediately."""
    with racing(), transaction.atomic():
        row = removable(kind, pk, lock=True)
        if failed_to_come(row):
            row.delete()
            return None
        logged = row.removal = log_one(kind.removal(row), actor)
        row.save(update_fields=("removal",))
        return logged


def find(kind: ObjectKind, pk: int, lock: bool = False) -> Any:
    """Return the row with its requests.

    Raises:
        Problem: There is no such row (404).
    """
    rows = kind.model._default_manager.select_related("request", "removal")
    row = (rows.select_for_update(of=("self",), no_key=True) if lock else rows).filter(pk=pk).first()
    if row is None:
        raise no_such(kind.noun, pk)
    return row


def changeable(kind: ObjectKind, pk: int) -> Any:
    """Return the row, locked, if it is in the network and stays there.

    Raises:
        Problem: It could not be added, or is being removed (409).
    """
    row = find(kind, pk, lock=True)
    if failed_to_come(row):
        detail = f"The {kind.noun} could not be added (request {row.request_id}). Remove it and add it again."
        raise conflict("not_in_network", detail)
    if leaving(row):
        raise conflict("being_removed", f"The {kind.noun} is being removed by request {row.removal_id}.")
    return row


def counted(count: int, noun: str, plural: str | None = None) -> list[str]:
    """Return a list such as `["3 hosts"]`, empty for 0."""
    if not count:
        return []
    return [f"1 {noun}" if count == 1 else f"{count} {plural or noun + 's'}"]
