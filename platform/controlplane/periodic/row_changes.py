"""Changes of periodic tasks that do not depend on what a row was before."""

from django_celery_beat.models import IntervalSchedule, PeriodicTask, PeriodicTasks


def every(seconds: int) -> IntervalSchedule:
    """The interval of so many seconds; the first one, where an operator has made the same again."""
    rows = IntervalSchedule.objects.filter(every=seconds, period=IntervalSchedule.SECONDS).order_by("pk")
    return rows.first() or IntervalSchedule.objects.create(every=seconds, period=IntervalSchedule.SECONDS)


def set_interval(task: PeriodicTask, seconds: int) -> None:
    """Give `task` an interval in place of any other schedule. Does not save it."""
    task.interval, task.one_off = every(seconds), False
    task.crontab = task.clocked = task.solar = None


def disable(task: PeriodicTask) -> None:
    """Disable `task`, also one that the library refuses to save."""
    task.enabled, task.last_run_at = False, None
    PeriodicTask.objects.filter(pk=task.pk).update(enabled=False, last_run_at=None)
    PeriodicTasks.update_changed()
