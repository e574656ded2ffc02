"""Periods in which a process could not write to the database; an alarm reports each.

During an interruption no alarm can be written. Health checks find the cause.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints, outbox

REPORTED_UNTIL = "interruption"
"""Watermark with the end of the last reported interruption."""

_open: dict[str, tuple[datetime, str]] = {}


def begin(name: str, reason: str) -> None:
    """Remember when a process of this kind became unable to write, and the first reason."""
    _open.setdefault(name, (timezone.now(), reason))


def record_end(name: str) -> None:
    """Raise the alarm of an interruption that has ended, unless another process has raised it.

    Raises:
        DatabaseError: The database refuses writes again; the interruption continues.
    """
    found = _open.get(name)
    if found is not None:
        _report(name, *found)
        del _open[name]


@transaction.atomic
def _report(name: str, since: datetime, reason: str) -> None:
    now = timezone.now()
    reported_until = checkpoints.read_time(checkpoints.hold_or_default(REPORTED_UNTIL, ""))
    if reported_until is not None and since <= reported_until <= now:
        return
    checkpoints.store(REPORTED_UNTIL, now.isoformat())
    begun, ended = (each.isoformat(timespec="seconds") for each in (since, now))
    outbox.alarm(
        f"{name} could not write to the database from {begun} to {ended}: {reason}. Requests that were "
        "accepted before are carried out; others were refused with 507 or 503"
    )
