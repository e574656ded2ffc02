"""Links that were found but are not in the network, and the operator's decisions on them."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.common.problems import conflict, not_found
from controlplane.network import links
from controlplane.network.availability import unusable
from controlplane.network.models import FoundLink, FoundState, Link
from controlplane.network.ports import host_ends, link_ends, lock_switches
from controlplane.requestlog import outbox
from controlplane.requestlog.logged_rows import log_one, racing
from controlplane.requestlog.models import Request

NAMED = 5


def waiting() -> list[FoundLink]:
    """Return the found links that wait for an operator, the oldest first."""
    return list(FoundLink.objects.filter(state=FoundState.WAITING).select_related("a", "b").order_by("id"))


def describe(rows: Sequence[FoundLink]) -> str:
    """Return a sentence about waiting links."""
    names = ", ".join(row.name for row in rows[:NAMED])
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    verb = "found links wait" if len(rows) > 1 else "found link waits"
    return f"{len(rows)} {verb} for approval: {names}{more}"


def emit(row: FoundLink, state: str) -> None:
    """Report the new state of a found link to live pages."""
    ends = {"a": row.a.name, "a_port": row.a_port, "b": row.b.name, "b_port": row.b_port}
    outbox.emit("found_link", {"id": row.pk, "state": state, **ends})


def approve(pk: int, actor: Any) -> Request:
    """Add a found link to the network, with cost 1.

    Args:
        pk: Id of the found link, which is waiting or was rejected.
        actor: User who approves it.

    Returns:
        The request that adds it.

    Raises:
        Problem: There is no such link (404); a port is in use, or a switch is being removed (409).
    """
    with racing(), transaction.atomic():
        found = _find(pk)
        lock_switches({found.a.name, found.b.name})
        _check_usable(found)
        link = Link(a=found.a, a_port=found.a_port, b=found.b, b_port=found.b_port, cost=1)
        link.discovered_at = found.seen_at
        link.request = request = log_one(links.payload(link), actor)
        link.save()
        emit(found, "approved")
        found.delete()
        return request


def reject(pk: int, actor: Any) -> FoundLink:
    """Keep a found link out of the network until it is approved.

    Raises:
        Problem: There is no such link (404).
    """
    with transaction.atomic():
        found = _find(pk)
        if found.state != FoundState.REJECTED:
            found.state, found.decided_at = FoundState.REJECTED, timezone.now()
            found.decided_by = str(actor.get_username()) if actor is not None else ""
            found.save(update_fields=("state", "decided_at", "decided_by"))
            emit(found, "rejected")
        return found


def _find(pk: int) -> FoundLink:
    rows = FoundLink.objects.select_related("a__request", "a__removal", "b__request", "b__removal")
    row = rows.select_for_update(of=("self",), no_key=True).filter(pk=pk).first()
    if row is None:
        raise not_found(
            f"There is no found link {pk}. It may be approved already, or no probe crosses it any more. "
            "GET /api/v1/found-links/ lists all found links."
        )
    return row


def _check_usable(found: FoundLink) -> None:
    names = {found.a.name, found.b.name}
    taken = host_ends(names) | link_ends(names)
    for switch, port in ((found.a, found.a_port), (found.b, found.b_port)):
        refusal = unusable(switch, "switch")
        if refusal is not None:
            raise conflict(*refusal)
        user = taken.get((switch.name, port))
        if user is not None:
            detail = f"port {port} of {switch.name} is used by {user}. Remove or move it first, then approve."
            raise conflict("port_in_use", detail)
