"""The latest report of the demo network's launcher, the requests to it, and test events."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class DemoState(models.TextChoices):
    """State of the demo network; `absent` means that no launcher reports any other state."""

    ABSENT = "absent"
    OFFERED = "offered"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


class Launcher(models.Model):
    """The only launcher; `wanted` outlives its process, so a new one continues the request."""

    name = models.CharField(max_length=100)
    state = models.CharField(max_length=16, choices=DemoState, default=DemoState.OFFERED)
    step = models.CharField(max_length=200, blank=True)
    progress = models.FloatField(default=0)
    reason = models.TextField(blank=True)
    fixed = models.BooleanField(default=False, help_text="its network exists from start to end")
    switches = models.JSONField(default=list, help_text="names of the switches of its network")
    hosts = models.JSONField(default=list, help_text="names of the hosts that it drives")
    wanted = models.BooleanField(default=False)
    heard_at = models.DateTimeField()


class TestState(models.TextChoices):
    """State of a test event; the last two are final."""

    QUEUED = "queued"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"


class TestEvent(models.Model):
    """An event to publish at its publisher's host, and the hosts that received it."""

    advertisement = models.ForeignKey("registry.Advertisement", on_delete=models.CASCADE, related_name="+")
    values = models.JSONField(decoder=Decoder)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=16, choices=TestState, default=TestState.QUEUED)
    seq = models.BigIntegerField(null=True)
    received = models.JSONField(default=list)
    problem = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
