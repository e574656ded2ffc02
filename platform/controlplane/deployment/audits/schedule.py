"""The periodic audit in beat's schedule."""

from django.conf import settings
from django_celery_beat.models import PeriodicTask

from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.periodic.row_changes import every, set_interval

NAME = "audit the tables"
PERIOD = 300
"""Default seconds between audits; the environment or an operator may change them."""

SWEEP = 10


def make() -> None:
    """Create the rows; an operator's changes stay, unless the environment sets the period."""
    asked = settings.ENV.audit_seconds
    _row("sweep the audits", "tercast.audits", PLANNER_QUEUE, SWEEP)
    row = _row(NAME, "tercast.audit", DEFAULT_QUEUE, asked or PERIOD)
    if asked is not None and (row.interval, row.enabled) != (every(asked or PERIOD), asked > 0):
        set_interval(row, asked or PERIOD)
        row.enabled, row.expire_seconds, row.expires = asked > 0, asked or PERIOD, None
        row.save()


def _row(name: str, task: str, queue: str, seconds: int) -> PeriodicTask:
    defaults = {"task": task, "queue": queue, "interval": every(seconds), "expire_seconds": seconds}
    row, _ = PeriodicTask.objects.get_or_create(name=name, defaults=defaults)
    return row
