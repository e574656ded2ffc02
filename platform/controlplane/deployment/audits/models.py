"""Rows of audits: the request, the state of each switch, and the entries that differed."""

from django.db import models

from controlplane.common.runs import RunRow


class AuditTrigger(models.TextChoices):
    """Reason for an audit."""

    OPERATOR = "operator"
    PERIODIC = "periodic"
    SIGN = "sign"


class AuditState(models.TextChoices):
    """State of an audit."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"


class Audit(RunRow):
    """One comparison of the tables of all or some switches; `repair` corrects the differences."""

    trigger = models.CharField(max_length=16, choices=AuditTrigger)
    repair = models.BooleanField(default=True)
    reason = models.TextField(blank=True, help_text="the signs of loss that it follows")
    state = models.CharField(max_length=16, choices=AuditState, default=AuditState.QUEUED)


class CheckState(models.TextChoices):
    """Result for a switch; `drifted` is final if the audit does not repair."""

    WAITING = "waiting"
    EQUAL = "equal"
    DRIFTED = "drifted"
    REPAIRED = "repaired"
    UNREPAIRED = "unrepaired"
    UNREACHABLE = "unreachable"
    UNSETTLED = "unsettled"


class Check(models.Model):
    """One switch in an audit, by name because it may be removed; counts of different entries."""

    audit = models.ForeignKey(Audit, on_delete=models.CASCADE, related_name="checks")
    switch = models.CharField(max_length=100)
    state = models.CharField(max_length=16, choices=CheckState, default=CheckState.WAITING)
    detail = models.TextField(blank=True, help_text="reason why it could not be read, or was not repaired")
    entries = models.PositiveIntegerField(null=True, help_text="number of own entries in the table")
    foreign = models.PositiveIntegerField(
        null=True, help_text="number of entries of other owners, which stay"
    )
    missing = models.PositiveIntegerField(default=0)
    strange = models.PositiveIntegerField(default=0)
    different = models.PositiveIntegerField(default=0)
    checked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("audit", "switch"), name="one_check_a_switch"),)

    @property
    def drift(self) -> int:
        """Number of entries that differed."""
        return self.missing + self.strange + self.different


class DriftKind(models.TextChoices):
    """Kind of difference: the entry is missing, not in the plan, or has other actions."""

    MISSING = "missing"
    STRANGE = "strange"
    DIFFERENT = "different"


class Drift(models.Model):
    """An entry that differed from the plan, in its state before any repair.

    `expected` and `found` are actions as in a plan. They are null if there is no such entry, or if the found
    actions are unknown. Entries that are not content (`dst` is empty) are described by `what`.
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
