"""Times in which a process could not write to the database, reported by an alarm once it can again.

While it lasts no alarm can be written; the checks of health find the cause.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints, outbox

TOLD = "interruption"
"""The watermark with the end of the last one that was reported."""

_open: dict[str, tuple[datetime, str]] = {}


def begin(name: str, reason: str) -> None:
    """Remember since when a process of this kind cannot write, and the first reason."""
    _open.setdefault(name, (timezone.now(), reason))


def record_end(name: str) -> None:
    """Raise the alarm of an interruption that ended, unless another process has raised it.

    Raises:
        DatabaseError: The database takes no write again; the interruption goes on.
    """
    found = _open.get(name)
    if found is not None:
        _report(name, *found)
        del _open[name]


@transaction.atomic
def _report(name: str, since: datetime, reason: str) -> None:
    now = timezone.now()
    told = checkpoints.moment(checkpoints.hold_or_default(TOLD, ""))
    if told is not None and since <= told <= now:
        return
    checkpoints.keep(TOLD, now.isoformat())
    begun, ended = (each.isoformat(timespec="seconds") for each in (since, now))
    outbox.alarm(
        f"{name} could not write to the database from {begun} to {ended}: {reason}. Requests that were "
        "accepted before are carried out; others were refused with 507 or 503"
    )
