"""Changes of periodic tasks that do not depend on the former state of a row."""

from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks


def every(seconds: int) -> IntervalSchedule:
    """Return the interval of this many seconds; the first one if there are several."""
    rows = IntervalSchedule.objects.filter(every=seconds, period=IntervalSchedule.SECONDS).order_by("pk")
    return rows.first() or IntervalSchedule.objects.create(every=seconds, period=IntervalSchedule.SECONDS)


def set_interval(task: PeriodicTask, seconds: int) -> None:
    """Set an interval in `task` and remove any other schedule. This does not save the row."""
    task.interval, task.one_off = every(seconds), False
    task.crontab = task.clocked = task.solar = None


def disable(task: PeriodicTask) -> None:
    """Disable `task`, even if the library refuses to save it."""
    task.enabled, task.last_run_at = False, None
    PeriodicTask.objects.filter(pk=task.pk).update(enabled=False, last_run_at=None)
    PeriodicTasks.update_changed()
