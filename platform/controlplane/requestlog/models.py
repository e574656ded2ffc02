"""Models of the append-only request log, planner snapshots, and the live stream's outbox."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class State(models.TextChoices):
    """State of a request. The last three are final."""

    QUEUED = "queued"
    PLANNING = "planning"
    DEPLOYING = "deploying"
    ACTIVE = "active"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


FINAL_STATES = (State.ACTIVE, State.FAILED, State.WITHDRAWN)
OPEN_STATES = (State.QUEUED, State.PLANNING, State.DEPLOYING)
"""Open states. A query for these uses the index; one that excludes final states reads the whole log."""


class Operation(models.Model):
    """Bulk call with several requests that are logged together."""

    created_at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    client = models.CharField(
        max_length=40, default="", help_text="kind and id of the client, for a call with a client token"
    )
    items = models.PositiveIntegerField(help_text="number of all items of the call, accepted or skipped")
    refused = models.PositiveIntegerField(default=0)


class RefusedItem(models.Model):
    """Skipped item of a bulk call that accepted other items."""

    operation = models.ForeignKey(Operation, on_delete=models.CASCADE, related_name="refused_items")
    index = models.PositiveIntegerField(help_text="index in the bulk call, from 0")
    errors = models.JSONField()

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("operation", "index"), name="one_refusal_an_item"),)


class Request(models.Model):
    """Entry of the log: a change of the network, as the planner reads it.

    `payload` is its JSON form for the planner. The planner session sets `position` in the order in which it
    applies requests. After a restart, the planner applies `payload` by `position` again. The times are those
    of reaching a stage.
    """

    kind = models.CharField(max_length=32)
    subject = models.CharField(
        max_length=100, blank=True, default="", help_text="name of the object that it concerns"
    )
    payload = models.JSONField(decoder=Decoder)
    position = models.BigIntegerField(null=True, unique=True)
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    matched = models.BooleanField(null=True)
    problem = models.JSONField(null=True)
    operation = models.ForeignKey(Operation, null=True, on_delete=models.PROTECT, related_name="requests")
    index = models.PositiveIntegerField(null=True, help_text="index in the bulk call, from 0")
    undoes = models.OneToOneField(
        "self",
        null=True,
        on_delete=models.PROTECT,
        related_name="undone_by",
        help_text="request that failed after it was carried out, and that this request reverts",
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
    waits_for = models.JSONField(default=list, help_text="names of the switches that have not confirmed yet")
    added = models.PositiveIntegerField(default=0)
    removed = models.PositiveIntegerField(default=0)
    modified = models.PositiveIntegerField(default=0)
    merging = models.JSONField(null=True, help_text="merged and split entries, with their expected cost")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("state", "id"), name="request_state"),
            models.Index(fields=("operation", "index", "id"), name="request_operation"),
            models.Index(fields=("kind", "id"), name="request_kind"),
            models.Index(fields=("subject", "id"), name="request_subject"),
        )


class SwitchSync(models.Model):
    """Whether a switch's table equals the plan, by name because the plan outlives switches.

    `dirty` is set before anything is sent, and cleared after the switch has confirmed everything. A dirty
    switch is read back and repaired, whatever happened in between.
    """

    switch = models.CharField(max_length=100, unique=True)
    dirty = models.BooleanField(default=False)
    marked_at = models.DateTimeField(null=True, help_text="last time before a change was sent to it")
    attempts = models.PositiveIntegerField(default=0, help_text="failed attempts since it was last clean")
    retry_at = models.DateTimeField(null=True)
    problem = models.JSONField(null=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.switch


class Watermark(models.Model):
    """State of a watcher between runs."""

    name = models.CharField(max_length=64, unique=True)
    value = models.JSONField()

    def __str__(self) -> str:
        return self.name


class PlannerSnapshot(models.Model):
    """Planner state after all requests up to `position`; a restart applies the later ones."""

    position = models.BigIntegerField(unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    data = models.BinaryField(help_text="compressed JSON of the planner's snapshot")


class OutboxEvent(models.Model):
    """Event for live pages. Ids are in commit order."""

    kind = models.CharField(max_length=32)
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
