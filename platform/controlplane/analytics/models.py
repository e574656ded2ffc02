"""Schedules of Spark jobs, their runs, the telemetry that they have taken in, and what they found."""

from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from controlplane.analytics.durations import parse_length
from controlplane.analytics.jobs import JOBS
from controlplane.common.runs import RunRow

CHOICES = [(name, name) for name in JOBS]
TASK_PARTS = ("task", "task__interval", "task__crontab", "task__solar", "task__clocked")
"""What is read with a schedule, in one query."""


class Series(models.Model):
    """All results of a job with windows of one length; its runs go on from each other, one at a time."""

    job = models.CharField(max_length=40, choices=CHOICES)
    window = models.BigIntegerField(help_text="microseconds")

    class Meta:
        ordering = ("id",)
        constraints = (models.UniqueConstraint(fields=("job", "window"), name="one_series"),)
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return f"{self.job} by {self.window / 1e6:g} s"


class Schedule(models.Model):
    """When a job runs by itself: `task` says how often; `last_due` is the latest time that was claimed."""

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
        """The window is a length of time."""
        try:
            parse_length(self.window)
        except ValueError as error:
            raise ValidationError({"window": str(error)}) from None

    def fault(self) -> str | None:
        """Why it cannot run, apart from its task; None where it can."""
        if self.job not in JOBS:
            return f"there is no job {self.job!r}; use one of {', '.join(JOBS)}"
        try:
            parse_length(self.window)
        except ValueError as error:
            return str(error)
        return None


class AnalyticsRunState(models.TextChoices):
    """Where a run stands; the last four are final."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class AnalyticsTrigger(models.TextChoices):
    """Why there is a run."""

    SCHEDULE = "schedule"
    OPERATOR = "operator"


class Run(RunRow):
    """One run of a job, and what became of it.

    `due` is the time of its schedule that it was claimed for; `under_way` is true until it ends. `since` and
    `until` are times that an operator asked for; with `rebuild` results are made anew.
    """

    schedule = models.ForeignKey(Schedule, null=True, on_delete=models.SET_NULL, related_name="runs")
    due = models.DateTimeField(null=True)
    series = models.ForeignKey(Series, on_delete=models.PROTECT, related_name="runs")
    trigger = models.CharField(max_length=16, choices=AnalyticsTrigger)
    state = models.CharField(max_length=16, choices=AnalyticsRunState, default=AnalyticsRunState.QUEUED)
    under_way = models.BooleanField(null=True, default=True)
    reason = models.TextField(blank=True, help_text="why it was skipped, failed or waits")
    stage = models.CharField(max_length=40, blank=True)
    progress = models.FloatField(null=True, help_text="part of the stage's tasks that are done")
    log = models.TextField(blank=True, help_text="the end of what the job wrote")
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    rebuild = models.BooleanField(default=False)
    cancelling = models.BooleanField(default=False, help_text="someone asked for its end")
    attempts = models.PositiveIntegerField(default=0, help_text="processes that began with it")
    heartbeat_at = models.DateTimeField(null=True, help_text="when its worker was last heard of")
    rows = models.PositiveIntegerField(null=True, help_text="results that it wrote")
    figures = models.JSONField(null=True, help_text="what it read and rejected")

    class Meta(RunRow.Meta):
        constraints = (
            models.UniqueConstraint(fields=("schedule", "due"), name="one_run_a_due_time"),
            models.UniqueConstraint(fields=("series", "under_way"), name="one_run_under_way"),
        )
        indexes = (models.Index(fields=("state", "id"), name="analytics_run_state"),)

    @property
    def job(self) -> str:
        """The job's name."""
        return self.series.job


class TakenFile(models.Model):
    """A file of telemetry whose rows are in the results of a series, with what is known of it."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="files")
    dataset = models.CharField(max_length=40)
    path = models.TextField(help_text="below its dataset")
    facts = models.JSONField()

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(fields=("series", "dataset", "path"), name="one_row_a_taken_file"),
        )


class Result(models.Model):
    """What a job found for one key and window; keys that the job does not have are empty.

    `subject` is a switch, a publisher or a kind of request. Without windows, `window_start` is the
    run's time.
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
