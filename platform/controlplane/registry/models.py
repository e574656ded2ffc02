"""Topics, publishers, subscribers, advertisements and subscriptions."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder
from controlplane.requestlog.kinds import ANNOUNCING, KINDS, WITHDRAWING
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION


class Origin(models.TextChoices):
    """How something was registered."""

    API = "api"
    IN_BAND = "in-band"


class Topic(models.Model):
    """An event space: ordered attributes, some of them indexed.

    `code` is even; the odd one after it belongs to the topic too, for moves between encodings.
    """

    name = models.CharField(max_length=100, unique=True)
    code = models.PositiveIntegerField(unique=True)
    attributes = models.JSONField(decoder=Decoder)
    indexed = models.JSONField()
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    removal = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    reindexing = models.ForeignKey(
        "control.Request",
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="the last change of `indexed`; until it ends, filters are encoded by the planner",
    )
    automatic_indexing = models.BooleanField(
        default=False, help_text="choose by itself, by past events, what is indexed"
    )
    seal = models.BooleanField(default=False, help_text="events are sealed with keys of their publishers")
    seal_changed_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name


class SealKey(models.Model):
    """A number of keys of a topic.

    The keys are stored nowhere: they follow from `salt`, an advertisement and a secret of the installation.
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="seal_keys")
    number = models.PositiveBigIntegerField()
    salt = models.CharField(max_length=64)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("topic", "number")
        constraints = (models.UniqueConstraint(fields=("topic", "number"), name="one_seal_key_a_number"),)


class Participant(models.Model):
    """Someone at a host."""

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
    """Someone who advertises and sends events from a host."""

    host = models.ForeignKey("network.Host", on_delete=models.PROTECT, related_name="publishers")


class Subscriber(Participant):
    """Someone who subscribes and receives events at a host."""

    host = models.ForeignKey("network.Host", on_delete=models.PROTECT, related_name="subscribers")


_LASTING = models.Q(withdrawal=None) & ~models.Q(state="failed")
"""Rows that no equivalent row of the same owner and topic may repeat."""


_UNREACHED = ~models.Q(reach=Reach.FULL.value)


class Announcement(models.Model):
    """A filter that someone announced for a topic; `state` is that of its request, then of its withdrawal.

    With `by_dz` there is no filter, only a dz set.
    """

    filter = models.TextField(blank=True)
    dz = models.JSONField(help_text="the filter's dz set, as texts")
    by_dz = models.BooleanField(default=False, help_text="the host told its dz set, and no filter")
    digest = models.CharField(
        max_length=64, null=True, help_text="equal for filters that are known to be equivalent"
    )
    reach = models.CharField(
        max_length=8,
        choices=[(reach.value, reach.value) for reach in Reach],
        default=Reach.FULL.value,
        help_text="whether paths lead to all that it matches",
    )
    unreachable = models.JSONField(default=list, help_text="owners of what it matches and cannot reach")
    unreachable_more = models.BooleanField(default=False, help_text="others are not named")
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
    """What a publisher will send; its planner id is `a<pk>`."""

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
        """The id under which the planner knows it."""
        return f"a{self.pk}"


class Subscription(Announcement):
    """What a subscriber wants; its planner id is `q<pk>`."""

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
        """The id under which the planner knows it."""
        return f"q{self.pk}"


_MODELS: dict[str | None, type[Advertisement] | type[Subscription]] = {
    ADVERTISEMENT: Advertisement,
    SUBSCRIPTION: Subscription,
}

ANNOUNCEMENT_MODELS = {
    name: _MODELS[kind.subject] for name, kind in KINDS.items() if name in ANNOUNCING | WITHDRAWING
}
"""The model of what a request announces or withdraws, by the kind of the request."""
