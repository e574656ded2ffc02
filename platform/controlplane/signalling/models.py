"""Rows of in-band signalling: keys and counters of hosts, processed messages, and refusals."""

from django.db import models
from django.db.models import Q

from controlplane.network.models import Host


class Policy(models.Model):
    """Rights of hosts in band, in a single row."""

    self_registration = models.BooleanField(
        default=True, help_text="an unknown host may register itself, from a port without a link"
    )
    sealed_only = models.BooleanField(
        default=False, help_text="messages of all hosts without a key are refused"
    )
    version = models.PositiveIntegerField(default=1)

    @classmethod
    def current(cls) -> "Policy":
        """Return the single row."""
        return cls.objects.get_or_create(pk=1)[0]


class HostSignals(models.Model):
    """State of a host for control messages.

    The key itself is not stored: it is derived from `salt` and a secret of the installation. `counter` is
    that of the last message with a valid seal. It only grows, in the transaction of the message's effects.
    """

    host = models.OneToOneField("network.Host", on_delete=models.CASCADE, related_name="signals")
    in_band = models.BooleanField(default=False, help_text="the host registered itself")
    salt = models.CharField(max_length=64, blank=True)
    key_made_at = models.DateTimeField(null=True)
    counter = models.BigIntegerField(default=-1)
    last_seen_at = models.DateTimeField(null=True)
    alarmed_at = models.DateTimeField(null=True, help_text="time of the last alarm about an invalid seal")

    @property
    def has_key(self) -> bool:
        """Whether the host's messages need a seal."""
        return bool(self.salt)


def signals_of(host: Host) -> HostSignals:
    """Return the state of a host's messages; an unsaved row if there is none."""
    try:
        return host.signals
    except HostSignals.DoesNotExist:
        return HostSignals(host=host)


class Done(models.Model):
    """A processed message, stored to execute it only once and to repeat its answer.

    `reply` is the return path of the answer. `digest` covers everything except the seal. `request` is the
    logged request, or null if there was none.
    """

    host = models.ForeignKey("network.Host", on_delete=models.CASCADE, related_name="+")
    message_id = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=255)
    code = models.PositiveBigIntegerField(null=True)
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    counter = models.BigIntegerField(null=True, help_text="counter in the seal of its answers")
    reply = models.JSONField()
    waits = models.BooleanField(default=False, help_text="the host waits for the result")
    heard_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "done"
        constraints = (models.UniqueConstraint(fields=("host", "message_id"), name="one_message_an_id"),)
        indexes = (models.Index(fields=("id",), condition=Q(waits=True), name="done_waiting"),)


class Refusal(models.Model):
    """A refused message; only the newest ones are stored."""

    reason = models.CharField(max_length=64)
    detail = models.TextField()
    dpid = models.CharField(max_length=16)
    port = models.PositiveBigIntegerField()
    mac = models.CharField(max_length=17)
    ip = models.CharField(max_length=45)
    host = models.CharField(max_length=100, blank=True)
    refused_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)


class RefusedCount(models.Model):
    """Number of messages refused for a reason, since the start of the installation."""

    reason = models.CharField(max_length=64, unique=True)
    count = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("reason",)
