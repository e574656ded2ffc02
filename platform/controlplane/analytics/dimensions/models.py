"""Rows of proposals of event spaces."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class ProposalTrigger(models.TextChoices):
    """Reason for a proposal."""

    PERIOD = "period"
    OPERATOR = "operator"


class ProposalMethod(models.TextChoices):
    """Method that chose the event space."""

    CURRENT = "current"
    ALL = "all"
    SPECTRAL = "spectral"
    GREEDY = "greedy"
    LEARNED = "learned"


class Proposal(models.Model):
    """Attributes to index in a topic instead of those `before`, cuts, and the predicted effect.

    `figures` are the candidates' costs on events that were not used to choose them. `request` applied the
    proposal, and `undoing` reverted it; both are null before that.
    """

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="proposals")
    trigger = models.CharField(max_length=16, choices=ProposalTrigger)
    method = models.CharField(max_length=16, choices=ProposalMethod)
    before = models.JSONField()
    indexed = models.JSONField()
    before_cuts = models.JSONField(decoder=Decoder, default=list)
    cuts = models.JSONField(decoder=Decoder, default=list)
    figures = models.JSONField()
    newest_sample = models.BigIntegerField(help_text="newest sample that it was computed from")
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
