"""Rows of Spark jobs: schedules, runs, processed telemetry files, and results."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from controlplane.analytics.durations import parse_length
from controlplane.analytics.jobs import JOBS
from controlplane.common.runs import RunRow

CHOICES = [(name, name) for name in JOBS]
TASK_PARTS = ("task", "task__interval", "task__crontab", "task__solar", "task__clocked")
"""Relations that are read with a schedule, in one query."""


class Series(models.Model):
    """All results of a job with windows of one length; its runs continue each other."""

    job = models.CharField(max_length=40, choices=CHOICES)
    window = models.BigIntegerField(help_text="microseconds")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("job", "window"), name="one_series"),)
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return f"{self.job} by {self.window / 1e6:g} s"


class Schedule(models.Model):
    """Schedule of a job: `task` has the period, and `last_due` is the latest claimed time."""

    name = models.SlugField(max_length=100, unique=True)
    job = models.CharField(max_length=40, choices=CHOICES)
    window = models.CharField(max_length=40, default="1 minute", help_text='like "1 minute" or "6 hours"')
    task = models.OneToOneField(
        "django_celery_beat.PeriodicTask", on_delete=models.CASCADE, related_name="analytics_schedule"
    )
    last_due = models.DateTimeField(default=timezone.now)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Check that the window is a length of time."""
        try:
            parse_length(self.window)
        except ValueError as error:
            raise ValidationError({"window": str(error)}) from None

    def fault(self) -> str | None:
        """Return why the schedule cannot run, apart from its task; None if it can."""
        if self.job not in JOBS:
            return f"there is no job {self.job!r}; use one of {', '.join(JOBS)}"
        try:
            parse_length(self.window)
        except ValueError as error:
            return str(error)
        return None


class AnalyticsRunState(models.TextChoices):
    """State of a run; the last four are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class AnalyticsTrigger(models.TextChoices):
    """Reason for a run."""

    SCHEDULE = "schedule"
    OPERATOR = "operator"


class Run(RunRow):
    """One run of a job, and its result.

    `due` is the time of its schedule that it was claimed for. `under_way` is true until it ends. `since` and
    `until` are times that an operator requested. With `rebuild`, results are computed again.
    """

    schedule = models.ForeignKey(Schedule, null=True, on_delete=models.SET_NULL, related_name="runs")
    due = models.DateTimeField(null=True)
    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="runs")
    trigger = models.CharField(max_length=16, choices=AnalyticsTrigger)
    state = models.CharField(max_length=16, choices=AnalyticsRunState, default=AnalyticsRunState.QUEUED)
    under_way = models.BooleanField(null=True, default=True)
    reason = models.TextField(blank=True, help_text="reason why it was skipped, failed or waits")
    stage = models.CharField(max_length=40, blank=True)
    progress = models.FloatField(null=True, help_text="completed fraction of the stage's tasks")
    log = models.TextField(blank=True, help_text="end of the job's log")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    rebuild = models.BooleanField(default=False)
    cancelling = models.BooleanField(default=False, help_text="a cancellation was requested")
    attempts = models.PositiveIntegerField(default=0, help_text="processes that have started it")
    heartbeat_at = models.DateTimeField(null=True, help_text="time of the worker's last heartbeat")
    rows = models.PositiveIntegerField(null=True, help_text="number of results that it wrote")
    figures = models.JSONField(null=True, help_text="figures of the data that it read and rejected")

    class Meta(RunRow.Meta):
        constraints = (
            models.UniqueConstraint(fields=("schedule", "due"), name="one_run_a_due_time"),
            models.UniqueConstraint(fields=("series", "under_way"), name="one_run_under_way"),
        )
        indexes = (models.Index(fields=("state", "id"), name="analytics_run_state"),)

    @property
    def job(self) -> str:
        """Name of the job."""
        return self.series.job


class TakenFile(models.Model):
    """A telemetry file whose rows are in the results of a series, with facts about it."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="files")
    dataset = models.CharField(max_length=40)
    path = models.TextField(help_text="path below its dataset")
    facts = models.JSONField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("series", "dataset", "path"), name="one_row_a_taken_file"),
        )


class Result(models.Model):
    """A job's result for one key and window; keys that the job does not have are empty.

    `subject` is a switch, a publisher or a kind of request. Without windows, `window_start` is the time of
    the run.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="results")
    run = models.ForeignKey(Run, null=True, on_delete=models.SET_NULL, related_name="+")
    window_start = models.DateTimeField()
    topic = models.CharField(max_length=200, blank=True)
    host = models.CharField(max_length=200, blank=True)
    subject = models.CharField(max_length=200, blank=True)
    values = models.JSONField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("series", "window_start", "topic", "host", "subject"), name="one_result"
            ),
        )
