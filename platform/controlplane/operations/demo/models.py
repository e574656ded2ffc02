"""What the launcher of the demo network told last, what it is asked for, and test events."""

from django.conf import settings
from django.db import models

from controlplane.common.exact_json import Decoder


class DemoState(models.TextChoices):
    """How the demo network is; a launcher tells all but `absent`, which is that none does."""

    ABSENT = "absent"
    OFFERED = "offered"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


class Launcher(models.Model):
    """The one launcher; `wanted` outlives it, so that a restart goes on with what was asked for."""

    name = models.CharField(max_length=100)
    state = models.CharField(max_length=16, choices=DemoState, default=DemoState.OFFERED)
    step = models.CharField(max_length=200, blank=True)
    progress = models.FloatField(default=0)
    reason = models.TextField(blank=True)
    fixed = models.BooleanField(default=False, help_text="its network is there from start to end")
    switches = models.JSONField(default=list, help_text="names of the switches of its network")
    hosts = models.JSONField(default=list, help_text="names of the hosts that it drives")
    wanted = models.BooleanField(default=False)
    heard_at = models.DateTimeField()


class TestState(models.TextChoices):
    """Where a test event stands; the last two are final."""

    QUEUED = "queued"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"


class TestEvent(models.Model):
    """An event that the launcher is to publish at its publisher's host, and who got it."""

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
