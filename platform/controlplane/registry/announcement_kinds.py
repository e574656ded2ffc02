"""Kinds of announcements (advertisements and subscriptions), and unsaved announcements."""

from dataclasses import dataclass
from typing import Any

from controlplane.registry.encoding import EncodedAnnouncement
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from tercast.requests.kinds import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE


@dataclass(frozen=True, slots=True)
class AnnouncementKind:
    """Differences between advertisements and subscriptions."""

    model: type[Any]
    noun: str
    owner: str
    owners: type[Any]
    op: str
    withdraw_op: str
    prefix: str


ADVERTISEMENT = AnnouncementKind(
    Advertisement, "advertisement", "publisher", Publisher, ADVERTISE, UNADVERTISE, "a"
)


SUBSCRIPTION = AnnouncementKind(
    Subscription, "subscription", "subscriber", Subscriber, SUBSCRIBE, UNSUBSCRIBE, "q"
)


@dataclass(frozen=True, slots=True)
class AnnouncementDraft:
    """Checked and encoded announcement that is not stored."""

    owner: Any
    topic: Topic
    filter: str
    encoded: EncodedAnnouncement
    by_dz: bool = False
