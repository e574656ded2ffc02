"""The network's policy of aggregation, and the runs that worked out covers."""

from django.db import models

from controlplane.common.runs import RunRow


class Policy(models.Model):
    """How tables are kept within budgets: one row.

    `method` is what the planner has; `asked` is the last request that changes it.
    """

    method = models.CharField(max_length=16, default="none")
    sampling = models.FloatField(default=1.0, help_text="share of the events that runs look at")
    gain = models.FloatField(default=0.1, help_text="share of what is needless that a change must save")
    asked = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=1)

    @classmethod
    def current(cls) -> "Policy":
        """The one row."""
        return cls.objects.get_or_create(pk=1)[0]


class AggregationRunState(models.TextChoices):
    """Where a run stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class AggregationTrigger(models.TextChoices):
    """Why there is a run."""

    OPERATOR = "operator"
    PERIODIC = "periodic"
    REVERT = "revert"


class Run(RunRow):
    """One computation of covers for the network, and what became of it.

    `results` is what it found; `covers_before` are the covers, when it looked, of the switches that it
    changes. `request` is the log's operation that installs its covers; the run ends with it.
    """

    trigger = models.CharField(max_length=16, choices=AggregationTrigger)
    method = models.CharField(max_length=16)
    sampling = models.FloatField(default=1.0)
    state = models.CharField(max_length=16, choices=AggregationRunState, default=AggregationRunState.QUEUED)
    under_way = models.BooleanField(null=True, default=True, unique=True, help_text="true for one at most")
    reason = models.TextField(blank=True, help_text="why it was skipped or failed")
    attempts = models.PositiveIntegerField(default=0, help_text="processes that began with it")
    position = models.BigIntegerField(null=True, help_text="of the log, whose state it looked at")
    events = models.PositiveIntegerField(null=True, help_text="samples that it looked at")
    newest_sample = models.BigIntegerField(null=True, help_text="id of the last of them")
    results = models.JSONField(null=True)
    covers_before = models.JSONField(null=True)
    reverts = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="+")
    request = models.ForeignKey("control.Request", null=True, on_delete=models.PROTECT, related_name="+")


class AggregatedEntry(models.Model):
    """A merged entry: what it stands for, and what it does to the newest events.

    `measured` and `unwanted` count needless copies and unwanted deliveries of the window, `expected` the
    copies that events before let expect; `packets` is the switch's own counter of the entry. `measured_at` is
    null until the subscriptions and events of a new entry have been looked up.
    """

    switch = models.ForeignKey("network.Switch", on_delete=models.CASCADE, related_name="aggregated")
    topic = models.CharField(max_length=100)
    in_port = models.PositiveBigIntegerField(null=True)
    dz = models.TextField()
    subscriptions = models.JSONField(help_text="their numbers")
    measured = models.FloatField()
    unwanted = models.FloatField()
    expected = models.FloatField(null=True)
    packets = models.BigIntegerField(null=True)
    window = models.PositiveIntegerField(help_text="events that were looked at")
    position = models.BigIntegerField(help_text="of the log, whose state was looked at")
    measured_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)
