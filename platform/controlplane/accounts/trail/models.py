"""Actions: copies of names and numbers, so that nothing that is deleted takes its history along."""

from django.db import models


class ActionOutcome(models.TextChoices):
    """What became of an action; `begun` stays where the server was killed in the middle."""

    BEGUN = "begun"
    DONE = "done"
    REFUSED = "refused"
    DENIED = "denied"
    FAILED = "failed"


class Action(models.Model):
    """What somebody did or tried. `times` counts denied ones like it within a minute, the first at `at`."""

    at = models.DateTimeField(db_index=True)
    last_at = models.DateTimeField()
    times = models.PositiveIntegerField(default=1)
    actor = models.CharField(max_length=150, blank=True, help_text="name of the user; empty: nobody was")
    token = models.CharField(max_length=100, blank=True, help_text="name of the token, where it was one")
    token_id = models.BigIntegerField(null=True)
    client = models.CharField(max_length=120, blank=True, help_text="whom a client token speaks for")
    address = models.CharField(max_length=45, blank=True)
    method = models.CharField(max_length=8)
    resource = models.CharField(max_length=100, help_text="what kind of thing it was about")
    object = models.CharField(max_length=300, help_text="address, or name, of what it was about")
    outcome = models.CharField(max_length=8, choices=ActionOutcome)
    status = models.PositiveSmallIntegerField(null=True)
    detail = models.CharField(max_length=300, blank=True, help_text="why it was not done")
    call = models.CharField(max_length=64, blank=True, help_text="its X-Request-ID")

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("actor", "id"), name="action_actor"),
            models.Index(fields=("outcome", "id"), name="action_outcome"),
        )
