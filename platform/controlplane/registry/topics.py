"""Topics: checks, topic codes, and requests for the planner."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count, F
from django.utils import timezone

from controlplane.accounts.callers import Client
from controlplane.common.address_plan import address_plan
from controlplane.common.problems import conflict, no_such
from controlplane.network.availability import LEAVING
from controlplane.network.services import counted
from controlplane.registry import event_keys
from controlplane.registry.announcements import LIVE
from controlplane.registry.duplicates import LASTING
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.requestlog.logged_rows import Payload, log_one, racing
from controlplane.requestlog.models import FINAL_STATES, Request, State
from controlplane.rest.request_body import Body
from tercast.errors import shown
from tercast.eventspace import topic_reader
from tercast.eventspace.topic import Topic as EventTopic
from tercast.requests.kinds import ADD_TOPIC, REMOVE_TOPIC, SET_INDEXED

SPACE = frozenset({"indexed", "cuts"})
"""Fields of a topic that determine the dz of its events."""

COUNTED = ("publishers", "advertisements", "subscribers", "subscriptions")


def visible() -> Any:
    """Return the topics that are not being removed."""
    return Topic.objects.exclude(LEAVING).select_related("request")


def counts_of(rows: Iterable[Topic], client: Client | None = None) -> dict[int, dict[str, int]]:
    """Return the numbers of active announcements and their owners by topic, with two queries.

    For a client token it counts only the client's own announcements.
    """
    ids = [row.pk for row in rows]
    counts = {pk: dict.fromkeys(COUNTED, 0) for pk in ids}
    for model, owner, owners, kind in (
        (Advertisement, "publisher", "publishers", "advertisements"),
        (Subscription, "subscriber", "subscribers", "subscriptions"),
    ):
        live = model._default_manager.filter(topic__in=ids).exclude(state__in=(State.WITHDRAWN, State.FAILED))
        if client is not None:
            live = live.filter(**{owner: client.pk}) if owner == client.kind else live.none()
        found = live.order_by().values_list("topic").annotate(n=Count("id"), who=Count(owner, distinct=True))
        for pk, n, who in found:
            counts[pk] |= {kind: n, owners: who}
    return counts


def draft(body: Body) -> Topic:
    """Return the new topic of a body after checking name, attributes and code; raise `Problem`."""
    item, errors = body.items[0], body.errors
    if "name" in item:
        _check_name(body, item["name"])
    parts = {name: item.get(name) for name in ("name", "attributes", "indexed", "cuts")}
    for refused in topic_reader.topic_errors(**parts):
        errors.refused(0, (), refused)
    code = _code(body, item.get("code"))
    errors.check()
    document = {name: part for name, part in parts.items() if part is not None}
    topic = EventTopic.from_json({**document, "code": code})
    read = topic.to_json()
    return Topic(
        name=topic.name,
        code=code,
        attributes=read["attributes"],
        indexed=read["indexed"],
        cuts=read.get("cuts", []),
        seal=bool(item.get("seal")),
    )


def _check_name(body: Body, name: str) -> None:
    row = Topic.objects.filter(name=name).select_related("removal").first()
    if row is None:
        return
    detail = f"name {shown(name)} is already used by topic {row.pk}. Use another value."
    if row.removal is not None and row.removal.state not in FINAL_STATES:
        detail = (
            f"topic {name} is being removed by request {row.removal_id}. Retry after this request has ended."
        )
    body.errors.add(0, ("name",), "not_unique", detail, name)


def _code(body: Body, asked: int | None) -> int:
    """Return the requested code, or the lowest unused one. Topics use even codes."""
    bits = address_plan().topic_bits
    taken = set(Topic.objects.values_list("code", flat=True))
    if asked is None:
        free = next((code for code in range(0, 1 << bits, 2) if code not in taken), None)
        if free is None:
            raise conflict(
                "no_code_free", f"All topic codes of {bits} bits are in use. Remove a topic first."
            )
        return free
    if asked % 2 or asked >= 1 << bits:
        detail = (
            f"{shown(asked)} is not a valid topic code; use an even number below {1 << bits}, or omit it."
        )
        body.errors.add(0, ("code",), "bad_code", detail, asked)
    elif asked in taken:
        detail = f"code {asked} is already used by another topic. Omit `code` to get an unused one."
        body.errors.add(0, ("code",), "not_unique", detail, asked)
    return asked


def payload(row: Topic) -> Payload:
    """Return the request that adds the topic to the planner."""
    return {"op": ADD_TOPIC, "topic": core_topic(row).to_json()}


def add(body: Body, actor: Any) -> Topic:
    """Store the body's topic and log its request."""
    with racing(), transaction.atomic():
        row = draft(body)
        row.request = log_one(payload(row), actor)
        row.save(force_insert=True)
        if row.seal:
            event_keys.make(row)
        return row


def removable(pk: int, lock: bool = False) -> Topic:
    """Return the topic if it is not in use; raise `Problem` otherwise."""
    rows = visible()
    row: Topic | None = (
        (rows.select_for_update(of=("self",), no_key=True) if lock else rows).filter(pk=pk).first()
    )
    if row is None:
        raise no_such("topic", pk)
    users = counted(row.advertisements.filter(LIVE).count(), "advertisement") + counted(
        row.subscriptions.filter(LIVE).count(), "subscription"
    )
    if users:
        raise conflict("in_use", f"To remove topic {row.name}, first withdraw its {' and '.join(users)}.")
    return row


def removal(row: Topic) -> Payload:
    """Return the request that removes the topic from the planner."""
    return {"op": REMOVE_TOPIC, "topic": row.name}


def remove(pk: int, actor: Any) -> None:
    """Hide the topic. Its row, name and code stay in use until the planner has removed it."""
    with racing(), transaction.atomic():
        row = removable(pk, lock=True)
        if row.request is not None and row.request.state == State.FAILED:
            row.advertisements.all().delete()
            row.subscriptions.all().delete()
            row.delete()
            return
        row.removal = log_one(removal(row), actor)
        row.save(update_fields=("removal",))


def read_change(body: Body, row: Topic) -> dict[str, Any]:
    """Return the changes of a topic in a body; raise `Problem` with all errors."""
    values = body.items[0]
    parts = {name: values[name] for name in SPACE if name in values}
    for refused in topic_reader.space_errors(core_topic(row).attributes, **parts):
        body.errors.refused(0, (), refused)
    body.errors.check()
    return values


def change_payload(row: Topic, values: dict[str, Any]) -> Payload | None:
    """Return the request for new indexed attributes or cuts, None without any.

    Without `indexed`, the indexed attributes stay. Without `cuts`, the cuts stay.

    Raises:
        Refused: The values are invalid.
        Problem: 409 for cuts of a topic with in-band publishers that cannot read them.
    """
    if not values.keys() & SPACE:
        return None
    topic = core_topic(row).with_indexed(values.get("indexed", row.indexed), ("indexed",))
    asked: Payload = {"op": SET_INDEXED, "topic": row.name, "indexed": list(topic.indexed)}
    if "cuts" not in values:
        return asked
    cuts = topic.with_cuts(values["cuts"], ("cuts",)).cuts
    if cuts:
        _check_in_band(row)
    return {**asked, "cuts": cuts.to_json(topic.attributes)}


def publishers_without_cuts(row: Topic) -> int:
    """Count the topic's advertisements with a running publisher that cannot change to cuts.

    These are in-band hosts with a client library that does not read cuts. They would stop.
    """
    unread = row.advertisements.filter(leases__reads_cuts=False, leases__expires_at__gt=timezone.now())
    return unread.filter(LASTING).distinct().count()


def _check_in_band(row: Topic) -> None:
    if count := publishers_without_cuts(row):
        detail = (
            f"topic {row.name} has {' and '.join(counted(count, 'advertisement'))} with in-band publishers "
            "that cannot read cuts, so they would have to stop. Update the client library of these hosts."
        )
        raise conflict("in_band", detail)


def change(pk: int, values: dict[str, Any], actor: Any) -> tuple[Topic, Request | None]:
    """Change a topic: log a change of `indexed` or `cuts`, and apply others immediately.

    Only one change of them runs at a time, because filters are encoded with them.

    Raises:
        Problem: 404 if the topic does not exist, 409 during another change of `indexed` or `cuts`.
    """
    with transaction.atomic():
        rows = visible().select_related("reindexing").select_for_update(of=("self",), no_key=True)
        row: Topic | None = rows.filter(pk=pk).first()
        if row is None:
            raise no_such("topic", pk)
        if "seal" in values:
            event_keys.change(row, values["seal"])
        if {"automatic_indexing", "seal"} & values.keys():
            row.automatic_indexing = values.get("automatic_indexing", row.automatic_indexing)
            row.version += 1
            row.save(update_fields=("automatic_indexing", "seal", "seal_changed_at", "version"))
        asked = change_payload(row, values)
        if asked is None:
            return row, None
        if row.reindexing is not None and row.reindexing.state not in FINAL_STATES:
            detail = (
                f"`indexed` or `cuts` are being changed by request {row.reindexing_id}. Wait for its end."
            )
            raise conflict("changing", detail)
        logged = log_one(asked, actor)
        Topic.objects.filter(pk=pk).update(reindexing=logged, version=F("version") + 1)
        return row, logged
