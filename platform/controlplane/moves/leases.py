"""Leases: what a publisher is told about the encoding of its events, and for how long it may rely on that."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.api.problems import not_found
from controlplane.control.models import FINAL_STATES, State
from controlplane.moves.models import OPEN, Encoding, Lease, Move
from controlplane.registry.announcements import LIVE
from controlplane.registry.models import Advertisement, Topic

POLLS_A_SECOND = 50.0
"""However many publishers there are, together they ask about so often."""

SHORTEST_POLL = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """An encoding, as publishers are told it."""

    topic: str
    version: int
    code: int
    indexed: list[str]


def lease_time() -> timedelta:
    """How long a publisher may go on without asking."""
    return timedelta(seconds=settings.ENV.lease_seconds)


def current(topic: Topic) -> Told:
    """What the publishers of a topic are told."""
    row = Encoding.objects.filter(topic=topic).first()
    if row is None:
        return Told(topic.name, 1, topic.code, list(topic.indexed))
    return Told(topic.name, row.version, row.code, list(row.indexed))


def newest(topic: Topic) -> Told:
    """What the publishers of a topic are told, or will be, where it is moving."""
    move = Move.objects.filter(topic=topic, stage__in=OPEN).first()
    if move is None:
        return current(topic)
    return Told(topic.name, move.version, move.code, list(move.indexed))


def told(advertisement: Advertisement) -> Told:
    """What a publisher is told: the encoding to come, where the old one was left before it advertised."""
    move = Move.objects.filter(topic=advertisement.topic, stage__in=OPEN).select_related("request").first()
    mine = advertisement.request.position
    if move is not None:
        began = move.request.position
        if mine is not None and began is not None and began < mine:
            return newest(advertisement.topic)
    return current(advertisement.topic)


def hold(pk: int, holder: str, version: int | None) -> dict[str, Any]:
    """A publisher asks, and says which version it uses (None: none yet); what it is told.

    A lease is extended only for the version that is told, so that nobody holds a move up for longer.
    """
    row = _advertisement(pk)
    found, now = told(row), timezone.now()
    lease = Lease.objects.filter(advertisement=row, holder=holder).first()
    if _is_fresh(lease, found, version, now):
        assert lease is not None
        return _answer(found, lease.expires_at - now)
    with transaction.atomic():
        Topic.objects.select_for_update(no_key=True).get(pk=row.topic_id)  # nothing is told meanwhile
        found = told(row)
        lease = Lease.objects.select_for_update().filter(advertisement=row, holder=holder).first()
        lapsed = lease is None or lease.expires_at <= now
        if not lapsed and version != found.version:
            assert lease is not None
            return _answer(found, lease.expires_at - now)
        confirms = lease is not None and lease.version != found.version
        Lease.objects.update_or_create(
            advertisement=row,
            holder=holder,
            defaults={"version": found.version, "expires_at": now + lease_time()},
        )
        if confirms:
            transaction.on_commit(_wake)
    return _answer(found, lease_time())


def release(pk: int, holder: str) -> None:
    """The publisher has stopped."""
    with transaction.atomic():
        gone, _ = Lease.objects.filter(advertisement=pk, holder=holder).delete()
        if gone and Move.objects.filter(stage__in=OPEN).exists():
            transaction.on_commit(_wake)


def waited_for(move: Move, now: datetime) -> int:
    """How many publishers may still use the old encoding. A second is for what their clocks run slower."""
    held = Lease.objects.filter(advertisement__topic=move.topic_id, version__lt=move.version)
    held = held.exclude(advertisement__state__in=(State.FAILED, State.WITHDRAWN))  # nobody gets its events
    return held.filter(expires_at__gt=now - timedelta(seconds=1)).count()


def prune(now: datetime) -> None:
    """Forget leases that nobody has held for long."""
    Lease.objects.filter(expires_at__lt=now - timedelta(hours=1)).delete()


def _advertisement(pk: int) -> Advertisement:
    rows = Advertisement.objects.filter(LIVE).select_related("topic", "request")
    row: Advertisement | None = rows.filter(pk=pk).first()
    if row is None or (row.request.state in FINAL_STATES and row.state in ("failed", "withdrawn")):
        raise not_found(f"There is no live advertisement {pk}.")
    return row


def _is_fresh(lease: Lease | None, found: Told, version: int | None, now: datetime) -> bool:
    """Whether there is nothing to write down."""
    if lease is None or not lease.version == found.version == version:
        return False
    return lease.expires_at - now > lease_time() * 3 / 4


def _answer(found: Told, left: timedelta) -> dict[str, Any]:
    holders = Lease.objects.filter(expires_at__gt=timezone.now()).count()
    poll = min(max(SHORTEST_POLL, holders / POLLS_A_SECOND), settings.ENV.lease_seconds / 4)
    return {
        "topic": found.topic,
        "version": found.version,
        "code": found.code,
        "indexed": found.indexed,
        "expires_in": round(max(left.total_seconds(), 0.0), 3),
        "poll_in": round(poll, 3),
    }


def _wake() -> None:
    from controlplane.control.tasks import wake  # noqa: PLC0415 - tasks import this module's neighbours

    wake()
