"""Models of topics, publishers, subscribers, advertisements and subscriptions."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder
from controlplane.requestlog.kinds import ANNOUNCING, KINDS, WITHDRAWING
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION


class Origin(models.TextChoices):
    """Way of registration: over the API, or in band."""

    API = "api"
    IN_BAND = "in-band"


class Topic(models.Model):
    """Event space: ordered attributes, some of which are indexed.

    `code` is even. The next odd code also belongs to the topic, for moves between encodings.
    """

    name = models.CharField(max_length=100, unique=True)
    code = models.PositiveIntegerField(unique=True)
    attributes = models.JSONField(decoder=Decoder)
    indexed = models.JSONField()
    cuts = models.JSONField(
        decoder=Decoder,
        default=list,
        help_text="first decisions of a dz: tree nodes, depth first",
    )
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    removal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    reindexing = models.ForeignKey(
        "control.Request",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="last change of `indexed` or `cuts`; the planner encodes filters until it ends",
    )
    automatic_indexing = models.BooleanField(
        default=False, help_text="choose the indexed attributes automatically from past events"
    )
    seal = models.BooleanField(default=False, help_text="whether events are sealed with keys")
    seal_changed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name


class SealKey(models.Model):
    """Number of the keys of a topic.

    The keys are not stored. They derive from `salt`, an advertisement and a secret of the installation.
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="seal_keys")
    number = models.PositiveBigIntegerField()
    salt = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("topic", "number")
        constraints = (models.UniqueConstraint(fields=("topic", "number"), name="one_seal_key_a_number"),)


class Participant(models.Model):
    """Base of publishers and subscribers: a program at a host."""

    name = models.CharField(max_length=100, unique=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.API)
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        abstract = True
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name


class Publisher(Participant):
    """Program at a host that advertises and sends events."""

    host = models.ForeignKey("network.Host", on_delete=models.PROTECT, related_name="publishers")


class Subscriber(Participant):
    """Program at a host that subscribes and receives events."""

    host = models.ForeignKey("network.Host", on_delete=models.PROTECT, related_name="subscribers")


_LASTING = models.Q(withdrawal=None) & ~models.Q(state="failed")
"""Rows that no equivalent row of the same owner and topic may duplicate."""


_UNREACHED = ~models.Q(reach=Reach.FULL.value)


class Announcement(models.Model):
    """Announced filter for a topic. `state` is that of its request, then of its withdrawal.

    With `by_dz` it has only a dz set and no filter.
    """

    filter = models.TextField(blank=True)
    dz = models.JSONField(help_text="dz cells of the filter, as texts")
    by_dz = models.BooleanField(default=False, help_text="whether the host sent only dz cells and no filter")
    digest = models.CharField(
        max_length=64, null=True, help_text="equal for filters that are known to be equivalent"
    )
    reach = models.CharField(
        max_length=8,
        choices=[(reach.value, reach.value) for reach in Reach],
        default=Reach.FULL.value,
        help_text="whether paths exist to all announcements that it matches",
    )
    unreachable = models.JSONField(default=list, help_text="owners of matching announcements without a path")
    unreachable_more = models.BooleanField(default=False, help_text="whether others are not named")
    unreachable_since = models.DateTimeField(null=True)
    state = models.CharField(max_length=16, default="queued")
    request = models.ForeignKey("control.Request", on_delete=models.PROTECT, related_name="+")
    withdrawal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        abstract = True
        ordering = ("id",)


class Advertisement(Announcement):
    """Events that a publisher will send. The planner id is `a<pk>`."""

    publisher = models.ForeignKey(Publisher, on_delete=models.PROTECT, related_name="advertisements")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="advertisements")

    class Meta(Announcement.Meta):
        indexes = (
            models.Index(fields=("state", "id"), name="advertisement_state"),
            models.Index(fields=("topic", "state", "id"), name="advertisement_topic"),
            models.Index(fields=("digest",), name="advertisement_digest"),
            models.Index(fields=("id",), name="advertisement_unreached", condition=_UNREACHED),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("publisher", "topic", "digest"), condition=_LASTING, name="advertisement_once"
            ),
        )

    @property
    def planner_id(self) -> str:
        """Return the name of the advertisement in the planner."""
        return f"a{self.pk}"


class Subscription(Announcement):
    """Events that a subscriber receives. The planner id is `q<pk>`."""

    subscriber = models.ForeignKey(Subscriber, on_delete=models.PROTECT, related_name="subscriptions")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="subscriptions")
    matched = models.BooleanField(null=True, help_text="false while no advertisement overlaps it")

    class Meta(Announcement.Meta):
        indexes = (
            models.Index(fields=("state", "id"), name="subscription_state"),
            models.Index(fields=("topic", "state", "id"), name="subscription_topic"),
            models.Index(fields=("subscriber", "id"), name="subscription_owner"),
            models.Index(fields=("subscriber", "state"), name="subscription_owned"),
            models.Index(fields=("id",), name="subscription_unmatched", condition=models.Q(matched=False)),
            models.Index(fields=("digest",), name="subscription_digest"),
            models.Index(fields=("id",), name="subscription_unreached", condition=_UNREACHED),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("subscriber", "topic", "digest"), condition=_LASTING, name="subscription_once"
            ),
        )

    @property
    def planner_id(self) -> str:
        """Return the name of the subscription in the planner."""
        return f"q{self.pk}"


_MODELS: dict[str | None, type[Advertisement] | type[Subscription]] = {
    ADVERTISEMENT: Advertisement,
    SUBSCRIPTION: Subscription,
}

ANNOUNCEMENT_MODELS = {
    name: _MODELS[kind.subject] for name, kind in KINDS.items() if name in ANNOUNCING | WITHDRAWING
}
"""Model of the announcement that a request makes or withdraws, by kind of request."""
