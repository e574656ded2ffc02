"""Rows of aggregation: the policy, the runs that compute covers, and merged entries."""

from django.db import models

from controlplane.common.runs import RunRow


class Policy(models.Model):
    """Method that keeps tables within budgets, in a single row.

    `method` is the method of the planner. `asked` is the last request that changes it.
    """

    method = models.CharField(max_length=16, default="none")
    sampling = models.FloatField(default=1.0, help_text="fraction of the events that runs use")
    gain = models.FloatField(
        default=0.1, help_text="fraction of the redundant traffic that a change must save"
    )
    asked = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=1)

    @classmethod
    def current(cls) -> "Policy":
        """Return the single row."""
        return cls.objects.get_or_create(pk=1)[0]


class AggregationRunState(models.TextChoices):
    """State of a run; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class AggregationTrigger(models.TextChoices):
    """Reason for a run."""

    OPERATOR = "operator"
    PERIODIC = "periodic"
    REVERT = "revert"


class Run(RunRow):
    """One computation of covers for the network, and its result.

    `results` are the figures. `covers_before` are the covers, at the time of the computation, of the switches
    that the run changes. `request` is the operation in the log that installs its covers; the run ends with
    it.
    """

    trigger = models.CharField(max_length=16, choices=AggregationTrigger)
    method = models.CharField(max_length=16)
    sampling = models.FloatField(default=1.0)
    state = models.CharField(max_length=16, choices=AggregationRunState, default=AggregationRunState.QUEUED)
    under_way = models.BooleanField(
        null=True, default=True, unique=True, help_text="true for at most one run"
    )
    reason = models.TextField(blank=True, help_text="why it was skipped or failed")
    attempts = models.PositiveIntegerField(default=0, help_text="processes that have started it")
    position = models.BigIntegerField(null=True, help_text="position of the log that it used")
    events = models.PositiveIntegerField(null=True, help_text="number of samples that it used")
    newest_sample = models.BigIntegerField(null=True, help_text="id of the newest sample")
    results = models.JSONField(null=True)
    covers_before = models.JSONField(null=True)
    reverts = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")


class AggregatedEntry(models.Model):
    """A merged entry: its subscriptions, and its effect on the newest events.

    `measured` and `unwanted` count redundant copies and false positives of the window. `expected` are the
    copies that earlier events predict. `packets` is the switch's own counter of the entry. `measured_at` is
    null until subscriptions and events of a new entry have been determined.
    """

    switch = models.ForeignKey("network.Switch", on_delete=models.CASCADE, related_name="aggregated")
    topic = models.CharField(max_length=100)
    in_port = models.PositiveBigIntegerField(null=True)
    dz = models.TextField()
    subscriptions = models.JSONField(help_text="numbers of the subscriptions")
    measured = models.FloatField()
    unwanted = models.FloatField()
    expected = models.FloatField(null=True)
    packets = models.BigIntegerField(null=True)
    window = models.PositiveIntegerField(help_text="number of events in the measurement")
    position = models.BigIntegerField(help_text="position of the log in the measurement")
    measured_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
