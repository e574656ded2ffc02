"""Models of encodings, of moves between encodings, and of leases."""

from django.db import models
from django.db.models import Q

from controlplane.common.exact_json import Decoder


class Encoding(models.Model):
    """Present encoding for the publishers of a topic; without a row it is the first one."""

    topic = models.OneToOneField("registry.Topic", on_delete=models.CASCADE, related_name="encoding")
    version = models.PositiveIntegerField(default=1)
    code = models.PositiveIntegerField()
    indexed = models.JSONField()
    cuts = models.JSONField(decoder=Decoder, default=list)


class Stage(models.TextChoices):
    """Stage of a move. Its label names the activity that ends the stage."""

    MAKING = "making", "switches install the new entries"
    TELLING = "telling", "publishers change to the new encoding"
    SETTLING = "settling", "events in transit arrive"
    BREAKING = "breaking", "switches remove the old entries"
    DONE = "done", "complete"


OPEN = (Stage.MAKING, Stage.TELLING, Stage.SETTLING)
"""Stages in which the planner has the tables of both encodings."""

UNFINISHED = (*OPEN, Stage.BREAKING)


class Move(models.Model):
    """Change of a topic to another encoding. `request` causes it, and ends when it ends.

    `in_place`: tables changed under the code in use, so that events may be lost or duplicated.
    """

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="moves")
    request = models.ForeignKey("control.Request", on_delete=models.CASCADE, related_name="moves")
    version = models.PositiveIntegerField()
    code = models.PositiveIntegerField()
    indexed = models.JSONField()
    cuts = models.JSONField(decoder=Decoder, default=list)
    stage = models.CharField(max_length=16, choices=Stage, default=Stage.MAKING)
    in_place = models.BooleanField(default=False)
    told_at = models.DateTimeField(null=True)
    followed_at = models.DateTimeField(
        null=True, help_text="time from which no publisher uses the old encoding"
    )
    finish = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("stage", "id"), name="move_stage"),)
        constraints = (
            models.UniqueConstraint(
                fields=("topic",), condition=Q(stage__in=OPEN), name="one_open_move_a_topic"
            ),
        )


class Lease(models.Model):
    """Right of a publisher to send events in `version` until `expires_at`, unless it renews.

    `caller` is the publisher, user or host that took the lease. `seconds` is the granted time.
    """

    advertisement = models.ForeignKey(
        "registry.Advertisement", on_delete=models.CASCADE, related_name="leases"
    )
    holder = models.CharField(max_length=64)
    caller = models.CharField(max_length=64, default="")
    version = models.PositiveIntegerField()
    expires_at = models.DateTimeField()
    seconds = models.FloatField(default=86400.0)
    reads_cuts = models.BooleanField(
        default=True, help_text="whether the publisher can change to an encoding with cuts"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("advertisement", "holder"), name="one_lease_a_holder"),
        )
        indexes = (
            models.Index(fields=("expires_at",), name="lease_expires_at"),
            models.Index(fields=("caller", "expires_at"), name="lease_caller"),
        )
