"""Models of telemetry: traffic reports, batches, writers, exported requests and samples."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class TrafficReport(models.Model):
    """Latest counters of one reporter: a publisher, a subscriber, or a process with several."""

    reporter = models.CharField(max_length=100)
    kind = models.CharField(
        max_length=16,
        default="",
        help_text="with a client token: `publisher` or `subscriber`; empty: a process",
    )
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
        constraints = (models.UniqueConstraint(fields=("kind", "reporter"), name="one_report_a_reporter"),)


class TelemetryBatch(models.Model):
    """Batch of telemetry that the API accepted; its id prevents a second acceptance."""

    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    client = models.CharField(
        max_length=40, default="", help_text="kind and id of the owner of a client token; empty: a user"
    )
    batch = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="SHA-256 of its content, in hex")
    dataset = models.CharField(max_length=32)
    accepted = models.PositiveIntegerField()
    rejected = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("actor", "client", "batch"), name="one_batch_an_id"),)
        indexes = (models.Index(fields=("created_at",), name="batch_created"),)


class TelemetryWriter(models.Model):
    """Writer of telemetry, with the counts of rows in its last report."""

    name = models.CharField(max_length=200, unique=True)
    host = models.CharField(max_length=200, blank=True)
    way = models.CharField(max_length=8, help_text="folder or api")
    taken = models.PositiveBigIntegerField(default=0)
    written = models.PositiveBigIntegerField(default=0)
    lost = models.PositiveBigIntegerField(default=0)
    pending = models.PositiveBigIntegerField(default=0)
    batches = models.PositiveBigIntegerField(default=0)
    lost_batches = models.PositiveBigIntegerField(default=0)
    retries = models.PositiveBigIntegerField(default=0)
    period_s = models.FloatField()
    error = models.TextField(blank=True)
    started_at = models.DateTimeField()
    heard_at = models.DateTimeField(help_text="time of its last report")
    closed = models.BooleanField(default=False, help_text="it ended with a final report")
    silent = models.BooleanField(
        default=False, help_text="no report when one was due, and an alarm was raised"
    )
    told_lost = models.PositiveBigIntegerField(default=0, help_text="lost rows in the last alarm")
    told_at = models.DateTimeField(null=True)
    rejected = models.JSONField(
        default=list, help_text="events that were not accepted, by host, topic and reason"
    )
    told_rejected = models.PositiveBigIntegerField(default=0, help_text="rejected events in the last alarm")
    told_rejected_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("heard_at",), name="writer_heard"),)

    def __str__(self) -> str:
        return self.name


class ExportedRequest(models.Model):
    """State in which telemetry last exported a request that can still change."""

    request = models.OneToOneField(
        "control.Request", on_delete=models.CASCADE, primary_key=True, related_name="exported"
    )
    state = models.CharField(max_length=16)

    class Meta:
        db_table = "telemetry_toldrequest"


class EventSample(models.Model):
    """Sample of a past event; the newest samples of each topic are kept.

    `drawn` is true if a job drew the sample from telemetry. A publisher reported the other samples.
    """

    topic = models.ForeignKey("registry.Topic", on_delete=models.CASCADE, related_name="+")
    advertisement = models.ForeignKey("registry.Advertisement", on_delete=models.CASCADE, related_name="+")
    values = models.JSONField(decoder=Decoder)
    reported_at = models.DateTimeField(auto_now_add=True)
    drawn = models.BooleanField(default=False)

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("topic", "id"), name="sample_topic"),)
