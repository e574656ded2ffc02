"""Proposals of indexed attributes."""

from django.conf import settings
from django.db import models


class ProposalTrigger(models.TextChoices):
    """Why there is a proposal."""

    PERIOD = "period"
    OPERATOR = "operator"


class ProposalMethod(models.TextChoices):
    """How its attributes were chosen."""

    CURRENT = "current"
    ALL = "all"
    SPECTRAL = "spectral"
    GREEDY = "greedy"


class Proposal(models.Model):
    """What to index of a topic instead of what was indexed `before`, and what that is expected to change.

    `figures` are the candidates' costs on events that they were not chosen by. `request` applied it,
    `undoing` took it back; null while nobody has.
    """

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="proposals")
    trigger = models.CharField(max_length=16, choices=ProposalTrigger)
    method = models.CharField(max_length=16, choices=ProposalMethod)
    before = models.JSONField()
    indexed = models.JSONField()
    figures = models.JSONField()
    newest_sample = models.BigIntegerField(help_text="the newest sample that it was computed from")
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    undoing = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.topic}: {', '.join(self.indexed)}"
