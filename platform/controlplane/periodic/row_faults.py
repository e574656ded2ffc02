"""Faults of rows of periodic tasks: each with its field, the rule and the remedy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from django.db.models import QuerySet
from django_celery_beat.models import PeriodicTask
from kombu.utils.json import loads

from controlplane.common.celery import app
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.periodic import task_failures
from controlplane.periodic.schedule_rows import crontab_of, interval_length

KINDS = ("interval", "crontab", "solar", "clocked")
QUEUES = (DEFAULT_QUEUE, PLANNER_QUEUE, ANALYTICS_QUEUE)
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)
_LARGEST_PRIORITY = 255

SOLAR = (
    "solar schedules are not supported, because their library is not installed; use a crontab or an interval"
)


@dataclass(frozen=True, slots=True)
class RowFault:
    """A fault: the field of the row, and a sentence without a full stop."""

    field: str
    detail: str


def with_schedules() -> QuerySet[PeriodicTask]:
    """Return all periodic tasks with their schedules, by name."""
    rows: QuerySet[PeriodicTask] = PeriodicTask.objects.select_related(*KINDS).order_by("name")
    return rows


def faults(task: PeriodicTask) -> list[RowFault]:
    """Return why `task` cannot run, enabled or not; empty if it can."""
    checks: tuple[tuple[str, Callable[[PeriodicTask], Iterator[RowFault]]], ...] = (
        ("schedule", _schedule),
        ("times", _times),
        ("task", _target),
        ("arguments", _arguments),
        ("call", _call),
    )
    found: list[RowFault] = []
    for name, check in checks:
        try:
            found += check(task)
        except Exception as error:  # an unexpected row must not stop a loop over all rows
            found.append(RowFault(name, f"the {name} is invalid: {type(error).__name__}: {error}"))
    return found


def reason(task: PeriodicTask) -> str | None:
    """Return the faults of a row in one text; None if it can run."""
    return "; ".join(fault.detail for fault in faults(task)) or None


def bad_rows() -> dict[str, str]:
    """Return, by name, why enabled periodic tasks cannot run."""
    rows = with_schedules().filter(enabled=True)
    return {task.name: why for task in rows if (why := reason(task)) is not None}


def report_bad_rows() -> dict[str, str]:
    """Return, by name, why enabled periodic tasks cannot run; raise an alarm for each new one."""
    found = bad_rows()
    task_failures.report(
        "periodic tasks", "bad_schedule", {f"periodic task {name}": why for name, why in found.items()}
    )
    return found


@cache
def _registered_tasks() -> frozenset[str]:
    app.autodiscover_tasks(force=True)  # without the checks of models at a worker's start
    return frozenset(app.tasks)


@cache
def _protocol_headers() -> frozenset[str]:
    """Headers that control how a worker reads a message; wrong values of some end the worker."""
    return frozenset(app.amqp.as_task_v2("", "").headers)


def _schedule(task: PeriodicTask) -> Iterator[RowFault]:
    kinds = [kind for kind in KINDS if getattr(task, f"{kind}_id") or getattr(task, kind)]
    if len(kinds) != 1:
        given = ", ".join(kinds) or "none"
        yield RowFault(
            kinds[0] if kinds else "interval", f"it needs exactly one schedule, but has {given}; set one"
        )
        return
    kind = kinds[0]
    try:
        if kind == "interval":
            interval_length(task.interval)
        elif kind == "crontab":
            crontab_of(task.crontab)
        elif kind == "solar":
            yield RowFault("solar", SOLAR)
        elif not task.one_off:
            yield RowFault("one_off", "a clocked schedule has one time; mark the task as one-off")
    except (ValueError, OverflowError, OSError) as error:
        yield RowFault(kind, str(error))


def _times(task: PeriodicTask) -> Iterator[RowFault]:
    times = {"start_time": task.start_time, "expires": task.expires}
    if task.clocked is not None:
        times["clocked"] = task.clocked.clocked_time
    for field, at in times.items():
        if at is not None and not _FIRST <= at <= _LAST:
            yield RowFault(field, f"the time {at} is not from {_FIRST.year} to {_LAST.year}; change it")


def _target(task: PeriodicTask) -> Iterator[RowFault]:
    if task.task not in _registered_tasks():
        yield RowFault("task", f"the task {task.task!r} does not exist; choose a registered one")
    if task.queue and task.queue not in QUEUES:
        yield RowFault("queue", f"no worker serves the queue {task.queue!r}; use one of {', '.join(QUEUES)}")
    if task.exchange and task.routing_key:
        yield RowFault(
            "exchange",
            f"no queue receives from the exchange {task.exchange!r} with the key {task.routing_key!r}; "
            "leave both empty, and set a queue",
        )
    if task.priority is not None and not 0 <= task.priority <= _LARGEST_PRIORITY:
        yield RowFault(
            "priority", f"the priority {task.priority} is not from 0 to {_LARGEST_PRIORITY}; change it"
        )


def _arguments(task: PeriodicTask) -> Iterator[RowFault]:
    for field, kind, name in (
        ("args", list, "list"),
        ("kwargs", dict, "object"),
        ("headers", dict, "object"),
    ):
        text = getattr(task, field)
        if not text:
            continue
        try:
            value = loads(text)  # type: ignore[no-untyped-call] # kombu has no types
        except (ValueError, RecursionError) as error:
            yield RowFault(field, f"{field} is not JSON: {error}; use a JSON {name}")
            continue
        if not isinstance(value, kind):
            yield RowFault(field, f"{field} is {text[:40]!r}, which is not a JSON {name}; use one")
        elif field == "headers" and (taken := sorted(_protocol_headers().intersection(value))):
            yield RowFault(field, f"headers has {', '.join(taken)}, which Celery sets; use other names")


def _call(task: PeriodicTask) -> Iterator[RowFault]:
    """Check that the task accepts these arguments; `_arguments` reports those that are invalid."""
    header = getattr(app.tasks.get(task.task), "__header__", None)
    try:
        args, kwargs = loads(task.args or "[]"), loads(task.kwargs or "{}")  # type: ignore[no-untyped-call]
    except Exception:
        return
    if header is None or not isinstance(args, list) or not isinstance(kwargs, dict):
        return
    try:
        header(*args, **kwargs)
    except TypeError as error:
        yield RowFault(
            "args" if args else "kwargs",
            f"the arguments do not fit the task {task.task}: {error}; change them",
        )
