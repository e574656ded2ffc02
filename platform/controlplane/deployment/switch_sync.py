"""Switches to read back and repair, stored with their times so that a kill loses nothing.

A switch is clean if it has confirmed all of the plan over its present connection. Any other switch is due,
immediately or after a pause that doubles with each failure.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from controlplane.network.models import Switch
from controlplane.requestlog.models import SwitchSync

LONGEST_PAUSE = timedelta(seconds=60)


def switches() -> dict[str, Switch]:
    """Return all switches by name."""
    return {switch.name: switch for switch in Switch.objects.all()}


def clean(known: dict[str, Switch]) -> set[str]:
    """Return the names of the switches whose tables equal the plan."""
    dirty = set(SwitchSync.objects.filter(dirty=True).values_list("switch", flat=True))
    return {name for name, switch in known.items() if name not in dirty and _met(switch)}


def due(known: dict[str, Switch], now: datetime) -> set[str]:
    """Return the names of the switches to repair now."""
    rows = {row.switch: row for row in SwitchSync.objects.all()}
    return {name for name, switch in known.items() if _due(switch, rows.get(name), now)}


def mark(names: Iterable[str]) -> None:
    """Mark these switches as dirty, before something is sent to them."""
    now = timezone.now()
    rows = [SwitchSync(switch=name, dirty=True, marked_at=now) for name in sorted(names)]
    SwitchSync.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["switch"], update_fields=["dirty", "marked_at"]
    )


def marks() -> dict[str, datetime | None]:
    """Return by switch the time before the last change was sent to it."""
    return dict(SwitchSync.objects.order_by().values_list("switch", "marked_at"))


def confirmed(names: Iterable[str]) -> None:
    """Mark these switches as clean, because they have all of the plan."""
    rows = SwitchSync.objects.filter(switch__in=list(names))
    rows.update(dirty=False, attempts=0, retry_at=None, problem=None)


def record_match(switch: Switch) -> None:
    """Record that the table of `switch` equals the plan over its present connection."""
    Switch.objects.filter(pk=switch.pk).update(epoch=switch.epoch, reconciled_epoch=switch.epoch)


def failed(name: str, problem: dict[str, Any], again: bool = False) -> None:
    """Record that the switch did not answer or refused: it stays dirty and is tried again later.

    With `again`, the first attempt to repair it follows immediately.
    """
    row, _ = SwitchSync.objects.get_or_create(switch=name)
    pause = min(timedelta(seconds=2**row.attempts if row.attempts < 10 else 1024), LONGEST_PAUSE)
    row.dirty, row.problem = True, problem
    row.retry_at = None if again and not row.attempts else timezone.now() + pause
    row.attempts += 1
    row.save()


def ask_for(names: Iterable[str]) -> None:
    """Request that these switches are read back now."""
    wanted = list(names)
    mark(wanted)
    SwitchSync.objects.filter(switch__in=wanted).update(retry_at=None, attempts=0, problem=None)


def hasten(names: Iterable[str]) -> None:
    """Make these switches due immediately, if they are due at all, because conditions improved."""
    SwitchSync.objects.filter(switch__in=list(names)).update(retry_at=None, attempts=0)


def retry(names: Iterable[str]) -> None:
    """End the pause of these switches, because there is more to do for them."""
    SwitchSync.objects.filter(switch__in=list(names)).update(retry_at=None)


def forget(names: Iterable[str]) -> None:
    """Delete the rows of these switches, which were removed."""
    SwitchSync.objects.filter(switch__in=list(names)).delete()


def _met(switch: Switch) -> bool:
    return 0 < switch.epoch == switch.reconciled_epoch


def _due(switch: Switch, row: SwitchSync | None, now: datetime) -> bool:
    if row is None:
        return not _met(switch)
    return (row.dirty or not _met(switch)) and _is_over(row.retry_at, now)


def _is_over(retry_at: datetime | None, now: datetime) -> bool:
    """Whether a pause is over; one longer than the limit started before the clock was set back."""
    return retry_at is None or not now < retry_at <= now + LONGEST_PAUSE
