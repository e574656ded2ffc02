"""Schedules: made with the installation, and changed by operators."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from controlplane.analytics import timetable
from controlplane.analytics.jobs import JOBS, Job
from controlplane.analytics.models import TASK_PARTS, Schedule
from controlplane.common.problems import FieldError, invalid
from controlplane.common.queues import DEFAULT_QUEUE
from controlplane.periodic import row_changes, row_faults

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
                "interval": row_changes.every(job.period),
                "expire_seconds": EXPIRY,
            },
        )
        Schedule.objects.get_or_create(
            name=job.path, defaults={"job": job.name, "window": job.window, "task": task}
        )


def change(row: Schedule, values: dict[str, Any]) -> Schedule:
    """Change `enabled`, `period` (seconds) or `window`. Raises `Problem` (400) for a task that cannot run."""
    with transaction.atomic():
        task = PeriodicTask.objects.select_for_update().get(pk=row.task_id)
        if "enabled" in values:
            task.enabled = values["enabled"]
        if "period" in values:
            row_changes.set_interval(task, values["period"])
        if "period" in values or values.get("enabled"):
            _save(task, values)
        elif not task.enabled:
            row_changes.disable(task)
        own = {"window": values["window"]} if "window" in values else {}
        if values.get("enabled") and not row.task.enabled:
            own["last_due"] = timezone.now()  # what was missed while it was off is not made up for
        Schedule.objects.filter(pk=row.pk).update(**own, version=F("version") + 1)
    return Schedule.objects.select_related(*TASK_PARTS).get(pk=row.pk)


def _save(task: PeriodicTask, values: dict[str, Any]) -> None:
    """Save a task, unless it is enabled and cannot run."""
    why = row_faults.reason(task) if task.enabled else None
    if why is not None:
        place = "enabled" if "enabled" in values else "period"
        detail = f"Periodic task {task.name} cannot run: {why}."
        raise invalid([FieldError(f"/{place}", "bad_schedule", detail, values[place])])
    task.save()


def problem(row: Schedule) -> str | None:
    """Why it cannot run, enabled or not; None where it can."""
    return "; ".join(filter(None, (row.fault(), row_faults.reason(row.task)))) or None


def next_run(row: Schedule) -> datetime | None:
    """When it is due next; None when it is off, or cannot run."""
    if problem(row) is not None:
        return None
    now = timezone.now()
    return timetable.next_due(row.task, min(row.last_due, now), now)
