"""The append-only request log, planner snapshots, and the outbox of the live stream."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class State(models.TextChoices):
    """Where a request stands; the last three are final."""

    QUEUED = "queued"
    PLANNING = "planning"
    DEPLOYING = "deploying"
    ACTIVE = "active"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


FINAL_STATES = (State.ACTIVE, State.FAILED, State.WITHDRAWN)
OPEN_STATES = (State.QUEUED, State.PLANNING, State.DEPLOYING)
"""A query for these uses the index; one that excludes the final states reads the whole log."""


class Operation(models.Model):
    """A bulk call: several requests that were logged together."""

    created_at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    client = models.CharField(
        max_length=40, default="", help_text="of a call with a client token: kind and id of the client"
    )
    items = models.PositiveIntegerField(help_text="all of the call, taken or refused")
    refused = models.PositiveIntegerField(default=0)


class RefusedItem(models.Model):
    """An item of a bulk call that was not taken while others were."""

    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, related_name="refused_items")
    index = models.PositiveIntegerField(help_text="place in the bulk call")
    errors = models.JSONField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("operation", "index"), name="one_refusal_an_item"),)


class Request(models.Model):
    """One entry of the log: a change of the network, as the planner reads it.

    `payload` is the planner's JSON form of it. `position` is given when the planner session takes it, in the
    order in which requests are applied; a restart applies `payload` by `position` again. The times are those
    at which a stage was reached.
    """

    kind = models.CharField(max_length=32)
    subject = models.CharField(
        max_length=100, blank=True, default="", help_text="name of the object that it is about"
    )
    payload = models.JSONField(decoder=Decoder)
    position = models.BigIntegerField(null=True, unique=True)
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    matched = models.BooleanField(null=True)
    problem = models.JSONField(null=True)
    operation = models.ForeignKey(Operation, null=True, on_delete=models.PROTECT, related_name="requests")
    index = models.PositiveIntegerField(null=True, help_text="place in the bulk call")
    undoes = models.OneToOneField(
        "self",
        null=True,
        on_delete=models.PROTECT,
        related_name="undone_by",
        help_text="a request that was carried out and failed afterwards, which this one takes back",
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    call = models.CharField(
        max_length=64, blank=True, default="", help_text="X-Request-ID of the call that logged it"
    )
    received_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    computed_at = models.DateTimeField(null=True)
    confirmed_at = models.DateTimeField(null=True)
    switches = models.JSONField(default=list, help_text="names of the switches whose tables it changed")
    waits_for = models.JSONField(default=list, help_text="names of the switches that have yet to confirm")
    added = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    modified = models.PositiveIntegerField(default=0)
    merging = models.JSONField(null=True, help_text="what it merged or unmerged, and at which expected cost")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("state", "id"), name="request_state"),
            models.Index(fields=("operation", "index", "id"), name="request_operation"),
            models.Index(fields=("kind", "id"), name="request_kind"),
            models.Index(fields=("subject", "id"), name="request_subject"),
        )


class SwitchSync(models.Model):
    """Whether a switch's table is known to equal the plan; kept by name, since the plan outlives switches.

    `dirty` is set before anything is sent and cleared once the switch has confirmed all of it. Whatever
    happens in between, a dirty switch is read back and repaired.
    """

    switch = models.CharField(max_length=100, unique=True)
    dirty = models.BooleanField(default=False)
    marked_at = models.DateTimeField(null=True, help_text="when something was about to be sent to it last")
    attempts = models.PositiveIntegerField(default=0, help_text="failed ones since it was last clean")
    retry_at = models.DateTimeField(null=True)
    problem = models.JSONField(null=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.switch


class Watermark(models.Model):
    """Something that a watcher has to remember from run to run."""

    name = models.CharField(max_length=64, unique=True)
    value = models.JSONField()

    def __str__(self) -> str:
        return self.name


class PlannerSnapshot(models.Model):
    """The planner's state after all requests up to `position`; a restart is snapshot and tail."""

    position = models.BigIntegerField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    data = models.BinaryField(help_text="compressed JSON of the planner's snapshot")


class OutboxEvent(models.Model):
    """Something that live pages show; its id is given in commit order."""

    kind = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
