"""Aggregation policy: the method is in the planner's log, the rest in the control plane."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django_celery_beat.models import PeriodicTask

from controlplane.aggregation.models import Policy
from controlplane.common.queues import DEFAULT_QUEUE
from controlplane.periodic import row_changes
from controlplane.periodic.schedule_rows import interval_length
from controlplane.requestlog import checkpoints
from controlplane.requestlog.logged_rows import Payload, log_one
from controlplane.requestlog.models import Request
from tercast.requests.kinds import SET_AGGREGATION

TASK_NAME = "aggregate tables"
TASK = "tercast.aggregate"
PERIOD = 300
"""Default seconds between periodic runs; an operator may change them."""

ALARMS = "aggregation alarms"

METHODS = ("none", "la", "fa-lb", "fa-pb", "optimal")
RUNNING_METHODS = METHODS[2:]
"""Methods that use past events in runs; `la` works immediately, request by request."""


@dataclass(frozen=True, slots=True)
class PolicyStanding:
    """The present policy and its active alarms; `period` is None without periodic runs."""

    policy: Policy
    period: int | None
    alarms: list[dict[str, Any]]


def read_policy_status() -> PolicyStanding:
    """Return the present policy and its active alarms."""
    alarms = sorted(standing_alarms().items())
    return PolicyStanding(Policy.current(), _period(), [{"switch": name, **row} for name, row in alarms])


def standing_alarms() -> dict[str, dict[str, Any]]:
    """Return the alarms of aggregation by switch; malformed rows (by manual SQL) are omitted."""
    rows = checkpoints.recall_or_default(ALARMS, {}).items()
    return {
        name: row for name, row in rows if isinstance(row, dict) and {"measured", "expected"} <= row.keys()
    }


def payload(values: dict[str, Any]) -> Payload | None:
    """Return the request that a change needs; None if the network is not affected."""
    return {"op": SET_AGGREGATION, "method": values["method"]} if "method" in values else None


def change(values: dict[str, Any], actor: Any) -> Request | None:
    """Change the policy; only the change of the method is logged."""
    with transaction.atomic():
        policy = Policy.current()
        own: dict[str, Any] = {name: values[name] for name in ("sampling", "gain") if name in values}
        asked = payload(values)
        logged = log_one(asked, actor) if asked else None
        if logged is not None:
            own["asked"] = logged
        Policy.objects.filter(pk=policy.pk).update(**own, version=F("version") + 1)
        if "period" in values:
            _set_period(values["period"])
        return logged


def make_schedule() -> None:
    """Create the periodic task; an existing one keeps an operator's changes."""
    _schedule()


def _schedule() -> PeriodicTask:
    row = PeriodicTask.objects.select_related("interval").filter(name=TASK_NAME).first()
    if row is None:
        defaults = {
            "task": TASK,
            "queue": DEFAULT_QUEUE,
            "interval": row_changes.every(PERIOD),
            "expire_seconds": PERIOD,
        }
        row, _ = PeriodicTask.objects.get_or_create(name=TASK_NAME, defaults=defaults)
    return row


def _period() -> int | None:
    """Return the seconds between periodic runs; None without a valid interval."""
    row = _schedule()
    if not row.enabled or row.interval is None:
        return None
    try:
        return int(interval_length(row.interval).total_seconds())
    except ValueError:
        return None


def _set_period(seconds: int | None) -> None:
    row = _schedule()
    if seconds is None:
        row_changes.disable(row)
        return
    row_changes.set_interval(row, seconds)
    row.enabled, row.expire_seconds, row.expires = True, seconds, None
    row.save()
