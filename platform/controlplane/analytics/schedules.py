"""Schedules: made with the installation, and changed by operators."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from controlplane.analytics import timetable
from controlplane.analytics.jobs import JOBS, Job
from controlplane.analytics.models import Schedule
from controlplane.config.celery_settings import DEFAULT_QUEUE

TASK = "tercast.analytics.due"
PREFIX = "analytics: "
EXPIRY = 10
"""Seconds that a message lives; a sweep finds what is due without one."""


def make_defaults() -> list[str]:
    """A schedule for each job that has none; their names. What an operator changed stays."""
    for job in JOBS.values():
        if not Schedule.objects.filter(name=job.path).exists():
            _make(job)
    return list(Schedule.objects.values_list("name", flat=True))


def _make(job: Job) -> None:
    with transaction.atomic():
        task, _ = PeriodicTask.objects.get_or_create(
            name=PREFIX + job.path,
            defaults={
                "task": TASK,
                "queue": DEFAULT_QUEUE,
                "interval": _every(job.period),
                "expire_seconds": EXPIRY,
            },
        )
        Schedule.objects.get_or_create(
            name=job.path, defaults={"job": job.name, "window": job.window, "task": task}
        )


def change(row: Schedule, values: dict[str, Any]) -> Schedule:
    """Change `enabled`, `period` (seconds) or `window`."""
    with transaction.atomic():
        task = PeriodicTask.objects.select_for_update().get(pk=row.task_id)
        if "enabled" in values:
            task.enabled = values["enabled"]
        if "period" in values:
            task.interval, task.one_off = _every(values["period"]), False
            task.crontab = task.clocked = task.solar = None
        task.save()
        own = {"window": values["window"]} if "window" in values else {}
        if values.get("enabled") and not row.task.enabled:
            own["last_due"] = timezone.now()  # what was missed while it was off is not made up for
        Schedule.objects.filter(pk=row.pk).update(**own, version=F("version") + 1)
    return Schedule.objects.select_related("task__interval", "task__crontab", "task__clocked").get(pk=row.pk)


def next_run(row: Schedule) -> datetime | None:
    """When it is due next; None when it is off."""
    return timetable.next_due(row.task, row.last_due, timezone.now())


def _every(seconds: int) -> IntervalSchedule:
    found = IntervalSchedule.objects.filter(every=seconds, period=IntervalSchedule.SECONDS).first()
    return found or IntervalSchedule.objects.create(every=seconds, period=IntervalSchedule.SECONDS)
