"""Counters of events, as hosts report them."""

from django.conf import settings
from django.db import models

from controlplane.config.json_numbers import Decoder


class TrafficReport(models.Model):
    """The latest counters of one reporter (a process that runs publishers and subscribers)."""

    reporter = models.CharField(max_length=100, unique=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    published = models.PositiveBigIntegerField(default=0)
    wanted = models.PositiveBigIntegerField(default=0)
    delivered = models.PositiveBigIntegerField(default=0)
    lost = models.PositiveBigIntegerField(default=0)
    doubled = models.PositiveBigIntegerField(default=0)
    unwanted = models.PositiveBigIntegerField(default=0)
    delay_p50_ms = models.FloatField(null=True)
    delay_p99_ms = models.FloatField(null=True)
    reported_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("id",)


class EventSample(models.Model):
    """A past event, as its publisher reported it; the newest of each topic are kept."""

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="+")
    advertisement = models.ForeignKey("registry.Advertisement", on_delete=models.CASCADE, related_name="+")
    values = models.JSONField(decoder=Decoder)
    reported_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("topic", "id"), name="sample_topic"),)
