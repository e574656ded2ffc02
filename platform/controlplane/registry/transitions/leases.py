"""Leases: the encoding that a publisher must use, and how long it may use it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q
from django.utils import timezone

from controlplane.common.problems import Problem, conflict, not_found
from controlplane.common.wakeups import wake_planner
from controlplane.registry import event_keys
from controlplane.registry.announcements import LIVE
from controlplane.registry.models import Advertisement, Topic
from controlplane.registry.transitions.models import OPEN, Encoding, Lease, Move
from controlplane.requestlog.models import FINAL_STATES, State
from tercast.errors import shown
from tercast.runtime.wording import quantity

POLLS_A_SECOND = 50.0
"""Approximate rate of lease calls per second over all publishers."""

SHORTEST_POLL = 1.0

MOST_OF_AN_ADVERTISEMENT = 64
"""Maximum number of active leases of one advertisement: the processes of a host and their replacements."""

PLATFORM = "platform"
"""Caller of leases that the platform's own code takes."""

CLOCKS = timedelta(seconds=1)
"""Maximum lag of a publisher's clock during a lease."""

KEPT = timedelta(minutes=1)
"""Time that an ended lease remains in the table."""


_UNUSED = (
    *("filter", "dz", "digest", "reach", "unreachable"),
    *(f"request__{name}" for name in ("payload", "problem", "switches", "waits_for", "merging")),
)
"""Long columns of an advertisement and its request that a lease does not need."""


@dataclass(frozen=True, slots=True)
class PublishedEncoding:
    """Encoding in the format for publishers."""

    topic: str
    version: int
    code: int
    indexed: list[str]
    cuts: list[Any] = field(default_factory=list)


def lease_time() -> timedelta:
    """Return the validity of a lease: the time that a publisher may send without renewal."""
    return timedelta(seconds=settings.ENV.lease_seconds)


def current(topic: Topic) -> PublishedEncoding:
    """Return the present encoding of a topic for publishers."""
    return _published(topic, Encoding.objects.filter(topic=topic).first())


def _published(topic: Topic, row: Encoding | None) -> PublishedEncoding:
    if row is None:
        return PublishedEncoding(topic.name, 1, topic.code, topic.indexed, topic.cuts)
    return PublishedEncoding(topic.name, row.version, row.code, row.indexed, row.cuts)


def newest(topic: Topic) -> PublishedEncoding:
    """Return the new encoding of a moving topic, else the present encoding."""
    move = Move.objects.filter(topic=topic, stage__in=OPEN).first()
    return current(topic) if move is None else goal(move)


def goal(move: Move) -> PublishedEncoding:
    """Return the new encoding of a move."""
    return PublishedEncoding(move.topic.name, move.version, move.code, move.indexed, move.cuts)


def encoding_for(advertisement: Advertisement) -> PublishedEncoding:
    """Return the encoding for a publisher: the new one if it advertised after the move started."""
    move = Move.objects.filter(topic=advertisement.topic, stage__in=OPEN).select_related("request").first()
    mine = advertisement.request.position
    if move is not None:
        began = move.request.position
        if mine is not None and began is not None and began < mine:
            return newest(advertisement.topic)
    return current(advertisement.topic)


def hold(
    pk: int, holder: str, version: int | None, caller: str = PLATFORM, reads_cuts: bool = True
) -> dict[str, Any]:
    """Grant, confirm or extend a publisher's lease.

    A lease is extended only for the published version, so that no publisher can delay a move further.
    The caller of this function has already checked that `caller` may publish for the advertisement.

    Args:
        pk: Id of the advertisement.
        holder: Unique name of the publisher process.
        version: Version of the encoding that the publisher uses; None while it has none.
        caller: Owner of the lease. Limits apply to it.
        reads_cuts: Whether the publisher can change to an encoding with cuts.

    Raises:
        Problem: 404 without an active advertisement, 409 if another caller uses the name `holder` or the
            advertisement has too many leases, 429 if the caller has too many.
    """
    row = _advertisement(pk)
    found, now = _read_with(row), timezone.now()
    lease = Lease.objects.filter(advertisement=row, holder=holder).first()
    owned = {"caller": caller, "reads_cuts": reads_cuts}
    if lease is not None and _is_fresh(lease, found, version, now, owned):
        return _lease_json(found, lease.expires_at - now, caller, row)
    with transaction.atomic():
        Topic.objects.select_for_update(no_key=True).get(pk=row.topic_id)  # the encoding cannot change
        found = encoding_for(row)
        lease = Lease.objects.select_for_update().filter(advertisement=row, holder=holder).first()
        if lease is None or lease.expires_at <= now:
            _check_room(row, caller, now)
        else:
            _check_holder(lease, caller, now)
            if version != found.version:
                return _lease_json(found, lease.expires_at - now, caller, row)
        confirms = lease is not None and lease.version != found.version
        _grant(row, holder, found.version, now, owned)
        if confirms:
            transaction.on_commit(_wake)
    return _lease_json(found, lease_time(), caller, row)


def release(pk: int, holder: str) -> None:
    """Delete the lease of a publisher that has stopped; do nothing if there is none."""
    with transaction.atomic():
        gone, _ = Lease.objects.filter(advertisement=pk, holder=holder).delete()
        if gone and Move.objects.filter(stage__in=OPEN).exists():
            transaction.on_commit(_wake)


def waited_for(move: Move, now: datetime) -> int:
    """Count the publishers that may still use the old encoding.

    A lease counts until it ends. It also counts no longer than its granted time after the new encoding was
    published. The second limit is valid even if a clock was set back.
    """
    held = Lease.objects.filter(advertisement__topic=move.topic_id, version__lt=move.version)
    held = held.exclude(advertisement__state__in=(State.FAILED, State.WITHDRAWN))  # its events reach no host
    running = held.filter(expires_at__gt=now - CLOCKS).values_list("seconds", flat=True)
    if move.told_at is None:
        return len(running)
    age = now - move.told_at - CLOCKS
    return sum(age < timedelta(seconds=seconds) for seconds in running)


def prune(now: datetime) -> None:
    """Delete leases that ended at least a minute ago."""
    Lease.objects.filter(expires_at__lt=now - KEPT).delete()


def _check_room(row: Advertisement, caller: str, now: datetime) -> None:
    """Raise `Problem` if another lease exceeds a limit. Ended leases do not count."""
    prune(now)
    running = Lease.objects.filter(expires_at__gt=now)
    count = running.filter(advertisement=row).count()
    if count >= MOST_OF_AN_ADVERTISEMENT:
        detail = (
            f"Advertisement {row.pk} has {count} leases; the limit is {MOST_OF_AN_ADVERTISEMENT}. Return"
            " unused leases, or wait until they end."
        )
        raise conflict("too_many_leases", detail)
    most = settings.ENV.leases_a_caller
    ends = list(
        running.filter(caller=caller).order_by("-expires_at").values_list("expires_at", flat=True)[:most]
    )
    if len(ends) >= most:
        wait = max(1, ceil((ends[-1] - now).total_seconds()))
        detail = (
            f"You hold {len(ends)} leases; the limit is {most} (TERCAST_LEASES_A_CALLER). Return unused"
            f" leases, or try again in {quantity(wait, 'second')}."
        )
        raise Problem(429, "too_many_leases", detail, headers={"Retry-After": str(wait)})


def _check_holder(lease: Lease, caller: str, now: datetime) -> None:
    """Raise `Problem` for a lease of another caller. Leases of earlier releases have no owner."""
    if lease.caller not in ("", caller):
        wait = max(1, ceil((lease.expires_at - now).total_seconds()))
        detail = (
            f"Another program publishes under the name {shown(lease.holder)} (`holder`). Its lease ends in "
            f"{quantity(wait, 'second')} or later. Give each publisher process its own name."
        )
        raise conflict("other_holder", detail)


def _grant(row: Advertisement, holder: str, version: int, now: datetime, owned: dict[str, Any]) -> None:
    length = lease_time()
    fields = {"version": version, "expires_at": now + length, "seconds": length.total_seconds(), **owned}
    Lease.objects.update_or_create(advertisement=row, holder=holder, defaults=fields)


def _advertisement(pk: int) -> Advertisement:
    """Return the active advertisement, its topic's encoding, and whether the topic moves.

    Publishers ask every second, so this is one query, without the columns that only other callers need.
    """
    rows = Advertisement.objects.filter(LIVE).select_related("topic__encoding", "request")
    rows = rows.annotate(moving=Exists(Move.objects.filter(topic=OuterRef("topic"), stage__in=OPEN)))
    rows = rows.defer(*_UNUSED)
    row: Advertisement | None = rows.filter(pk=pk).first()
    if row is None or (row.request.state in FINAL_STATES and row.state in ("failed", "withdrawn")):
        raise not_found(f"There is no active advertisement {pk}. Advertise again.")
    return row


def _read_with(row: Advertisement) -> PublishedEncoding:
    """Return the encoding for a publisher from what `_advertisement` has read."""
    if row.moving:  # type: ignore[attr-defined] # an annotation
        return encoding_for(row)
    return _published(row.topic, getattr(row.topic, "encoding", None))


def _is_fresh(
    lease: Lease, found: PublishedEncoding, version: int | None, now: datetime, owned: dict[str, Any]
) -> bool:
    """Whether the stored lease needs no update yet."""
    if not lease.version == found.version == version or any(getattr(lease, k) != v for k, v in owned.items()):
        return False
    return lease.expires_at - now > lease_time() * 3 / 4


def _lease_json(found: PublishedEncoding, left: timedelta, caller: str, row: Advertisement) -> dict[str, Any]:
    return {
        "topic": found.topic,
        "version": found.version,
        "code": found.code,
        "indexed": found.indexed,
        "cuts": found.cuts,
        "expires_in": round(max(left.total_seconds(), 0.0), 3),
        "poll_in": round(_pause(caller), 3),
        "seal": event_keys.advertisement_seal(row),
    }


def _pause(caller: str) -> float:
    """Return the seconds until the next call. Callers share `POLLS_A_SECOND` equally.

    A caller with many leases therefore renews each of them less often, and does not delay other callers.
    """
    running = Lease.objects.filter(expires_at__gt=timezone.now())
    counts = running.aggregate(
        callers=Count("caller", distinct=True), own=Count("pk", filter=Q(caller=caller))
    )
    pause: float = counts["own"] * counts["callers"] / POLLS_A_SECOND
    return min(max(SHORTEST_POLL, pause), settings.ENV.lease_seconds / 4)


def _wake() -> None:
    wake_planner()
