"""Model of calls with an `Idempotency-Key`."""

from django.db import models


class Reply(models.Model):
    """A call with a key, and the answer to it. While the call runs, `status` is null.

    `attempt` identifies the process that runs the call. A replaced attempt can commit nothing any more.
    """

    principal = models.CharField(max_length=80)
    key = models.CharField(max_length=255)
    method = models.CharField(max_length=8)
    path = models.TextField()
    digest = models.CharField(max_length=64, help_text="keyed hash of the body")
    attempt = models.CharField(max_length=32)
    began_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    location = models.TextField(blank=True)
    body = models.TextField(blank=True, help_text="JSON; empty where the answer holds a secret")
    size = models.PositiveIntegerField(default=0, help_text="characters of what is kept")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("principal", "key"), name="one_reply_a_key"),)
        indexes = (
            models.Index(fields=("began_at",), name="reply_age"),
            models.Index(fields=("principal", "size"), name="reply_room"),
        )
