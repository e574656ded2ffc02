"""Model of the audit trail. It copies names and numbers, so that deletions keep the history."""

from django.db import models


class ActionOutcome(models.TextChoices):
    """Result of an action. `begun` remains if the server was killed during the action."""

    BEGUN = "begun"
    DONE = "done"
    REFUSED = "refused"
    DENIED = "denied"
    FAILED = "failed"


class Action(models.Model):
    """Action of a user, or an attempt; `times` counts identical denied ones within a minute."""

    at = models.DateTimeField(db_index=True)
    last_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
    actor = models.CharField(
        max_length=150, blank=True, help_text="name of the user; empty: not authenticated"
    )
    token = models.CharField(max_length=100, blank=True, help_text="name of the token; empty: no token")
    token_id = models.BigIntegerField(null=True)
    client = models.CharField(
        max_length=120, blank=True, help_text="publisher or subscriber of a client token"
    )
    address = models.CharField(max_length=45, blank=True)
    method = models.CharField(max_length=8)
    resource = models.CharField(max_length=100, help_text="kind of object that it concerns")
    object = models.CharField(max_length=300, help_text="address or name of the object that it concerns")
    outcome = models.CharField(max_length=8, choices=ActionOutcome)
    status = models.PositiveSmallIntegerField(null=True)
    detail = models.CharField(max_length=300, blank=True, help_text="why it failed")
    call = models.CharField(max_length=64, blank=True, help_text="X-Request-ID of the call")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("actor", "id"), name="action_actor"),
            models.Index(fields=("outcome", "id"), name="action_outcome"),
        )
