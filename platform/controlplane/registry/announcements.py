"""Advertisements and subscriptions: checks, encoding, storage with requests, withdrawal."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from controlplane.common.problems import conflict, no_such
from controlplane.network.availability import LEAVING
from controlplane.registry.announcement_kinds import AnnouncementDraft, AnnouncementKind
from controlplane.registry.duplicates import without_duplicates
from controlplane.registry.encoding import Encoder
from controlplane.registry.models import Topic
from controlplane.requestlog import rejected_items as refused
from controlplane.requestlog.logged_rows import Logged, Payload, log_one, log_rows, racing, reserve_ids
from controlplane.requestlog.models import FINAL_STATES, Operation, Request, State
from controlplane.rest.request_body import Body
from tercast.errors import Refused, shown

WITHDRAWN = Q(withdrawal__state__in=(State.ACTIVE, State.WITHDRAWN))
LIVE = ~(Q(request__state=State.FAILED) | WITHDRAWN)
"""Announcements that the network carries or will carry: neither failed nor withdrawn."""


@dataclass(slots=True)
class _ReferencedRows:
    """Rows that the items of a body refer to, read once."""

    owners: dict[str, Any]
    topics: dict[str, Topic]
    encoder: Encoder


def draft(kind: AnnouncementKind, body: Body, costs: bool = False) -> list[AnnouncementDraft]:
    """Return the announcements of a body, read with two queries in total.

    It needs no transaction, so that no lock is held while filters are encoded. `add` checks the topics again.

    Args:
        kind: Advertisements or subscriptions.
        body: The items. Their errors are added to it.
        costs: Whether to compute the excess of each filter.

    Raises:
        Problem: if an item has an error; it contains all errors.
    """
    owners = kind.owners._default_manager.select_related("host").order_by()
    owners = owners.filter(name__in=list(body.values(kind.owner)))
    topics = _topics().filter(name__in=list(body.values("topic"))).order_by()
    known = _ReferencedRows(
        {row.name: row for row in owners}, {row.name: row for row in topics}, Encoder(costs)
    )
    drafts = [_draft_one(kind, body, index, item, known) for index, item in enumerate(body.items)]
    body.errors.check()
    return [each for each in drafts if each is not None]


def _topics() -> Any:
    return Topic.objects.exclude(LEAVING).select_related("request", "reindexing")


def _draft_one(
    kind: AnnouncementKind, body: Body, index: int, item: dict[str, Any], known: _ReferencedRows
) -> AnnouncementDraft | None:
    owner = _refer(body, index, kind.owner, item, known.owners)
    topic = _refer(body, index, "topic", item, known.topics)
    encoded = None
    if topic is not None and "filter" in item:
        try:
            encoded = known.encoder.encode(topic, item["filter"])
        except Refused as refused:
            body.errors.refused(index, ("filter",), refused)
    if owner is None or topic is None or encoded is None:
        return None
    return AnnouncementDraft(owner, topic, item["filter"], encoded)


def _refer(body: Body, index: int, name: str, item: dict[str, Any], known: dict[str, Any]) -> Any:
    if name not in item:
        return None
    row = known.get(item[name])
    if row is None:
        detail = f"There is no {name} {shown(item[name])}. Register it first."
        body.errors.add(index, (name,), f"unknown_{name}", detail, item[name])
    elif name == "topic" and row.request is not None and row.request.state == State.FAILED:
        detail = (
            f"topic {row.name} is not in the network (request {row.request_id} failed). "
            "Remove the topic and create it again."
        )
        body.errors.add(index, (name,), "not_in_network", detail, item[name])
        return None
    return row


def add(
    kind: AnnouncementKind,
    drafts: list[AnnouncementDraft],
    actor: Any,
    body: Body | None = None,
    client: str = "",
) -> Logged:
    """Store and log the drafts: all or none, or with `partly` only those that duplicate nothing.

    `client` is the caller if it has a client token. The locks on topics let only one call at a time check for
    duplicates. The unique index is the final check.

    Raises:
        Problem: 409 if a topic has changed since the filters were encoded, or for duplicates.
    """
    with racing(), transaction.atomic():
        _check_topics({each.topic.pk: each.topic for each in drafts})
        drafts = without_duplicates(kind, drafts, body)
        ids = reserve_ids(kind.model, len(drafts))
        rows = [_row(kind, each, pk) for each, pk in zip(drafts, ids, strict=True)]
        bulk, places = (body.bulk, body.places) if body else (False, None)
        logged = log_rows(rows, lambda row: payload(kind, row), actor, bulk, places)
        if client and isinstance(logged, Operation):
            logged.client = client
            logged.save(update_fields=("client",))
        if body is not None:
            refused.store_rejected_items(logged, body)
        return logged


def _check_topics(drafted: dict[int, Topic]) -> None:
    rows = _topics().filter(pk__in=list(drafted)).select_for_update(of=("self",), no_key=True).order_by("id")
    found = {pk: rest for pk, *rest in rows.values_list("pk", "indexed", "cuts", "reindexing_id")}
    for pk, topic in drafted.items():
        if found.get(pk) != [topic.indexed, topic.cuts, topic.reindexing_id]:
            detail = f"another request changed topic {topic.name} at the same time. Send the call again."
            raise conflict("changed_meanwhile", detail)


def _row(kind: AnnouncementKind, each: AnnouncementDraft, pk: int) -> Any:
    """Build the row, without dz while the event space changes: then the planner encodes it."""
    change = each.topic.reindexing
    settled = change is None or change.state in FINAL_STATES
    fields = {kind.owner: each.owner, "topic": each.topic, "filter": each.filter, "by_dz": each.by_dz}
    dz = each.encoded.dz if settled or each.by_dz else []
    return kind.model(pk=pk, state=State.QUEUED, dz=dz, digest=each.encoded.digest, **fields)


def payload(kind: AnnouncementKind, row: Any) -> Payload:
    """Return the request that deploys the announcement."""
    return {
        "op": kind.op,
        "id": f"{kind.prefix}{row.pk}",
        "host": getattr(row, kind.owner).host.name,
        "topic": row.topic.name,
        **({} if row.by_dz else {"filter": row.filter}),
        **({"dz": row.dz} if row.dz else {}),
    }


def draft_payloads(kind: AnnouncementKind, drafts: Sequence[AnnouncementDraft]) -> list[Payload]:
    """Return the requests that adding the drafts would log, with ids that no row has."""
    rows = [_row(kind, each, -1 - index) for index, each in enumerate(drafts)]
    return [payload(kind, row) for row in rows]


def withdrawal(kind: AnnouncementKind, row: Any) -> Payload:
    """Return the request that withdraws the announcement."""
    return {"op": kind.withdraw_op, "id": f"{kind.prefix}{row.pk}"}


def withdrawable(kind: AnnouncementKind, pk: int, lock: bool = False) -> Any:
    """Return the row if it can be withdrawn; raise `Problem` otherwise."""
    rows = kind.model._default_manager.select_related("request", "withdrawal")
    row = (rows.select_for_update(of=("self",), no_key=True) if lock else rows).filter(pk=pk).first()
    if row is None:
        raise no_such(kind.noun, pk)
    if row.withdrawal is not None and row.withdrawal.state != State.FAILED:
        done = "was withdrawn" if row.withdrawal.state in FINAL_STATES else "is being withdrawn"
        detail = f"{kind.noun} {pk} {done} by request {row.withdrawal_id}. No further call is needed."
        raise conflict("withdrawn", detail)
    return row


def withdraw(kind: AnnouncementKind, pk: int, actor: Any) -> Request | None:
    """Log the withdrawal, or delete the row and return None if the network never had it."""
    with racing(), transaction.atomic():
        row = withdrawable(kind, pk, lock=True)
        if row.request.state == State.FAILED:
            row.delete()
            return None
        logged = row.withdrawal = log_one(withdrawal(kind, row), actor)
        row.save(update_fields=("withdrawal",))
        return logged
