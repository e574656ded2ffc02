"""What is kept of hosts that speak for themselves: keys and counters, what was done, what was refused."""

from django.db import models
from django.db.models import Q

from controlplane.network.models import Host


class Policy(models.Model):
    """What the network lets hosts do: one row."""

    self_registration = models.BooleanField(
        default=True, help_text="a host that is not known may register itself, from a port that is no link"
    )
    sealed_only = models.BooleanField(
        default=False, help_text="messages of hosts without a key are refused, whoever they are"
    )
    version = models.PositiveIntegerField(default=1)

    @classmethod
    def current(cls) -> "Policy":
        """The one row."""
        return cls.objects.get_or_create(pk=1)[0]


class HostSignals(models.Model):
    """A host as control messages know it.

    The key itself is nowhere: it follows from `salt` and a secret of the installation. `counter` is that of
    the last message with a good seal; it only grows, in the transaction of what the message did.
    """

    host = models.OneToOneField("network.Host", on_delete=models.CASCADE, related_name="signals")
    in_band = models.BooleanField(default=False, help_text="it registered itself")
    salt = models.CharField(max_length=64, blank=True)
    key_made_at = models.DateTimeField(null=True)
    counter = models.BigIntegerField(default=-1)
    last_seen_at = models.DateTimeField(null=True)
    alarmed_at = models.DateTimeField(null=True, help_text="when operators were last told of a bad seal")

    @property
    def has_key(self) -> bool:
        """Whether its messages need a seal."""
        return bool(self.salt)


def signals_of(host: Host) -> HostSignals:
    """What is known of a host's messages; a row that is not stored where there were none."""
    try:
        return host.signals
    except HostSignals.DoesNotExist:
        return HostSignals(host=host)


class Done(models.Model):
    """A message that was carried out, so that it is not a second time and its answer can be given again.

    `reply` says where the answer goes; `digest` is that of all but the seal. `request` is what was logged,
    null where nothing had to be.
    """

    host = models.ForeignKey("network.Host", on_delete=models.CASCADE, related_name="+")
    message_id = models.CharField(max_length=16)
    digest = models.CharField(max_length=64)
    name = models.CharField(max_length=255)
    code = models.PositiveBigIntegerField(null=True)
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    counter = models.BigIntegerField(null=True, help_text="of the seal that its answers bear")
    reply = models.JSONField()
    waits = models.BooleanField(default=False, help_text="the host is yet to be told of the end")
    heard_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "done"
        constraints = (models.UniqueConstraint(fields=("host", "message_id"), name="one_message_an_id"),)
        indexes = (models.Index(fields=("id",), condition=Q(waits=True), name="done_waiting"),)


class Refusal(models.Model):
    """A message that was refused; the newest of them are kept."""

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
    """How many messages were refused for a reason, since the installation began."""

    reason = models.CharField(max_length=64, unique=True)
    count = models.PositiveBigIntegerField(default=0)
    last_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("reason",)
