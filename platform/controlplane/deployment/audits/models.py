"""Audits: what was asked, how each switch was found, and every entry that differed from the plan."""

from django.db import models

from controlplane.common.runs import RunRow


class AuditTrigger(models.TextChoices):
    """Why there is an audit."""

    OPERATOR = "operator"
    PERIODIC = "periodic"
    SIGN = "sign"


class AuditState(models.TextChoices):
    """Where an audit stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Audit(RunRow):
    """One look at the tables of all switches, or of some; with `repair` what differs is made equal."""

    trigger = models.CharField(max_length=16, choices=AuditTrigger)
    repair = models.BooleanField(default=True)
    reason = models.TextField(blank=True, help_text="the signs of loss that it follows")
    state = models.CharField(max_length=16, choices=AuditState, default=AuditState.QUEUED)


class CheckState(models.TextChoices):
    """How a switch was found; `drifted` is final where nothing is to be repaired."""

    WAITING = "waiting"
    EQUAL = "equal"
    DRIFTED = "drifted"
    REPAIRED = "repaired"
    UNREPAIRED = "unrepaired"
    UNREACHABLE = "unreachable"
    UNSETTLED = "unsettled"


class Check(models.Model):
    """One switch in an audit, by name, since it may go; the counts are of entries that differed."""

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="checks")
    switch = models.CharField(max_length=100)
    state = models.CharField(max_length=16, choices=CheckState, default=CheckState.WAITING)
    detail = models.TextField(blank=True, help_text="why it could not be asked, or was not repaired")
    entries = models.PositiveIntegerField(null=True, help_text="own entries that it held")
    foreign = models.PositiveIntegerField(null=True, help_text="entries of others, which stay")
    missing = models.PositiveIntegerField(default=0)
    strange = models.PositiveIntegerField(default=0)
    different = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("audit", "switch"), name="one_check_a_switch"),)

    @property
    def drift(self) -> int:
        """How many entries differed."""
        return self.missing + self.strange + self.different


class DriftKind(models.TextChoices):
    """What is wrong with an entry: not there, not in the plan, or with other actions."""

    MISSING = "missing"
    STRANGE = "strange"
    DIFFERENT = "different"


class Drift(models.Model):
    """An entry that differed from the plan, as it was before anything was repaired.

    `expected` and `found` are actions, as in a plan; null where there is no such entry, or where what was
    found cannot be said. Entries beside the content (`dst` empty) are told by `what`.
    """

    check_of = models.ForeignKey(Check, on_delete=models.CASCADE, related_name="drifts")
    kind = models.CharField(max_length=16, choices=DriftKind)
    dst = models.CharField(max_length=64, blank=True)
    in_port = models.PositiveBigIntegerField(null=True)
    priority = models.PositiveIntegerField(null=True)
    what = models.CharField(max_length=300, blank=True)
    expected = models.JSONField(null=True)
    found = models.JSONField(null=True)

    class Meta:
        ordering = ("id",)
