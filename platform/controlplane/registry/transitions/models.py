"""What publishers of a topic are told, who of them has confirmed it, and moves that are under way."""

from django.db import models
from django.db.models import Q


class Encoding(models.Model):
    """The encoding that publishers of a topic are told; without a row it is the first, as the topic says."""

    topic = models.OneToOneField("registry.Topic", on_delete=models.CASCADE, related_name="encoding")
    version = models.PositiveIntegerField(default=1)
    code = models.PositiveIntegerField()
    indexed = models.JSONField()


class Stage(models.TextChoices):
    """Where a move is: each stage ends when what it names is over."""

    MAKING = "making", "switches install the new entries"
    TELLING = "telling", "publishers change over"
    SETTLING = "settling", "events that are under way arrive"
    BREAKING = "breaking", "switches let the old entries go"
    DONE = "done", "over"


OPEN = (Stage.MAKING, Stage.TELLING, Stage.SETTLING)
"""The stages in which the planner has both tables."""

UNFINISHED = (*OPEN, Stage.BREAKING)


class Move(models.Model):
    """A topic goes to another encoding because of `request`, which ends with it.

    `in_place`: its tables changed under the code in use, so that events may have been lost or doubled.
    """

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="moves")
    request = models.ForeignKey("control.Request", on_delete=models.CASCADE, related_name="moves")
    version = models.PositiveIntegerField()
    code = models.PositiveIntegerField()
    indexed = models.JSONField()
    stage = models.CharField(max_length=16, choices=Stage, default=Stage.MAKING)
    in_place = models.BooleanField(default=False)
    told_at = models.DateTimeField(null=True)
    followed_at = models.DateTimeField(
        null=True, help_text="when no publisher used the old encoding any more"
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
    """A publisher sends events of an advertisement in `version`, and stops at `expires_at` unless it renews.

    `caller` is the publisher, user or host that took the lease, and `seconds` is the time it was granted for.
    """

    advertisement = models.ForeignKey(
        "registry.Advertisement", on_delete=models.CASCADE, related_name="leases"
    )
    holder = models.CharField(max_length=64)
    caller = models.CharField(max_length=64, default="")
    version = models.PositiveIntegerField()
    expires_at = models.DateTimeField()
    seconds = models.FloatField(default=86400.0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("advertisement", "holder"), name="one_lease_a_holder"),
        )
        indexes = (
            models.Index(fields=("expires_at",), name="lease_expires_at"),
            models.Index(fields=("caller", "expires_at"), name="lease_caller"),
        )
