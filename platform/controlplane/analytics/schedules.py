"""Schedules of analytics: default ones, and operators' changes."""

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
"""Lifetime of a message in seconds; without one, a sweep finds what is due."""


def make_defaults() -> list[str]:
    """Create missing schedules of jobs without changing existing ones; return all names."""
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
    """Change `enabled`, `period` (seconds) or `window`.

    Raises:
        Problem: The periodic task cannot run (400).
    """
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
            own["last_due"] = timezone.now()  # times while it was disabled are not made up for
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
    """Return why the schedule cannot run, enabled or not; None if it can."""
    return "; ".join(filter(None, (row.fault(), row_faults.reason(row.task)))) or None


def next_run(row: Schedule) -> datetime | None:
    """Return the next due time; None if the schedule is disabled or cannot run."""
    if problem(row) is not None:
        return None
    now = timezone.now()
    return timetable.next_due(row.task, min(row.last_due, now), now)
