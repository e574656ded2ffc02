"""Keys that seal events of sealed topics: creation, replacement, and access.

Each advertisement has a separate key for each number. A publisher gets the newest one with its lease. For a
time after a change, both old and new keys are accepted: until every publisher has renewed its lease, or the
lease has ended.
"""

import base64
import hmac
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.common import clock
from controlplane.common.problems import conflict, no_such
from controlplane.network.services import counted
from controlplane.registry.duplicates import LASTING
from controlplane.registry.models import Advertisement, Origin, SealKey, Topic
from tercast.client.event_origins import OriginPolicy
from tercast.runtime.secret_files import secret

MASTER = "event-seals"
"""Name of the file with the installation's secret."""

KEPT = timedelta(days=730)
"""Age at which a new key deletes an old one. No seal period is as long."""

MARGIN = timedelta(seconds=60)
"""Margin for events in transit, and for differences between clocks."""


def overlap() -> timedelta:
    """Return the time after a change in which both old and new keys are accepted."""
    return timedelta(seconds=settings.ENV.lease_seconds) + MARGIN


def policy(topic: Topic, now: datetime) -> OriginPolicy:
    """Return whether subscribers must accept events without a seal."""
    changed = topic.seal_changed_at
    if changed is not None and now < changed + overlap():
        return OriginPolicy.CHANGING
    return OriginPolicy.REQUIRED if topic.seal else OriginPolicy.OFF


def current(topic: Topic) -> SealKey | None:
    """Return the key for publishers, None without seals. Create a new one if the period is over."""
    if not topic.seal:
        return None
    newest = topic.seal_keys.order_by("-number").first()
    due = timezone.now() - timedelta(hours=settings.ENV.seal_hours)
    return newest if newest is not None and _is_recent(newest, due) else rotate(topic.pk, due)


def rotate(pk: int, due: datetime | None = None) -> SealKey:
    """Create the next key of a topic, unless `due` is given and a key was created since then.

    Raises:
        Problem: 404 if the topic does not exist, 409 if it is not sealed.
    """
    with transaction.atomic():
        topic = Topic.objects.select_for_update(no_key=True).filter(pk=pk).first()
        if topic is None:
            raise no_such("topic", pk)
        if not topic.seal:
            raise conflict("not_sealed", f"topic {topic.name} is not sealed. Set its `seal` to true first.")
        newest = topic.seal_keys.order_by("-number").first()
        if newest is not None and due is not None and _is_recent(newest, due):
            return newest
        return make(topic, newest)


def make(topic: Topic, newest: SealKey | None = None) -> SealKey:
    """Store a new number, higher than all earlier ones, even if a backup was restored."""
    now = timezone.now()
    future = topic.seal_keys.filter(made_at__gt=now)
    future.update(made_at=now)  # otherwise they are accepted until the clock reaches their time again
    topic.seal_keys.filter(made_at__lt=now - KEPT).delete()
    number = max(int(now.timestamp()), newest.number + 1 if newest is not None else 0)
    return SealKey.objects.create(topic=topic, number=number, salt=secrets.token_hex(32), made_at=now)


def _is_recent(key: SealKey, due: datetime) -> bool:
    """Whether a key was created since `due`, and not before the clock was set back."""
    return due < key.made_at <= timezone.now() + clock.MARGIN


def accepted(topic: Topic, now: datetime) -> list[SealKey]:
    """Return the keys whose seals subscribers must accept, the newest last."""
    if policy(topic, now) is OriginPolicy.OFF:
        return []
    limit = now - overlap()
    before = topic.seal_keys.filter(made_at__lte=limit).order_by("-number")[:1]
    return [*before, *topic.seal_keys.filter(made_at__gt=limit).order_by("number")]


def key_json(row: SealKey, advertisement: int) -> dict[str, Any]:
    """Return the key of an advertisement in the format of answers."""
    key = base64.b64encode(key_of(row, advertisement)).decode("ascii")
    return {"number": row.number, "key": key}


def key_of(row: SealKey, advertisement: int) -> bytes:
    """Return the key of an advertisement: 32 bytes."""
    master = secret(settings.ENV.secrets_dir, MASTER).encode()
    text = f"{row.topic_id}:{row.number}:{row.salt}:a{advertisement}"
    return hmac.digest(master, text.encode(), "sha256")


def seals_of_sources(topic: Topic, ids: Iterable[int], entitled: bool) -> dict[int, dict[str, Any]]:
    """Return `seal` and `keys` of sources. `keys` is None for a caller without access."""
    now = timezone.now()
    rows = accepted(topic, now)
    seal = policy(topic, now).value
    return {
        pk: {"seal": seal, "keys": [key_json(row, pk) for row in rows] if entitled else None} for pk in ids
    }


def change(topic: Topic, seal: bool) -> None:
    """Turn seals on or off. The caller's transaction holds the topic's lock and saves the topic.

    Raises:
        Problem: 409 while hosts use the topic in band, because they cannot get keys.
    """
    if topic.seal == seal:
        return
    if seal:
        _check_in_band(topic)
        make(topic, topic.seal_keys.order_by("-number").first())
    topic.seal, topic.seal_changed_at = seal, timezone.now()


def _check_in_band(topic: Topic) -> None:
    users = [
        *counted(
            topic.advertisements.filter(LASTING, publisher__origin=Origin.IN_BAND).count(), "advertisement"
        ),
        *counted(
            topic.subscriptions.filter(LASTING, subscriber__origin=Origin.IN_BAND).count(), "subscription"
        ),
    ]
    if users:
        detail = (
            f"topic {topic.name} has {' and '.join(users)} that hosts sent in band. Keys cannot be sent to "
            "these hosts. Withdraw what they sent, or register it over the API."
        )
        raise conflict("in_band", detail)


def advertisement_seal(row: Advertisement) -> dict[str, Any] | None:
    """Return the key for an advertisement's publisher; None if the topic is not sealed."""
    key = current(row.topic)
    return None if key is None else key_json(key, row.pk)
