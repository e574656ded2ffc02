"""Which switches have to be read back and repaired, and when: in the database, so that no kill forgets.

A switch is clean when all that the plan has for it is confirmed, over the connection that it has now. Any
other one is due, at once or after a pause that doubles with each failure.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from controlplane.network.models import Switch
from controlplane.requestlog.models import SwitchSync

LONGEST_PAUSE = timedelta(seconds=60)


def switches() -> dict[str, Switch]:
    """All switches by name."""
    return {switch.name: switch for switch in Switch.objects.all()}


def clean(known: dict[str, Switch]) -> set[str]:
    """The names of those whose tables equal the plan."""
    dirty = set(SwitchSync.objects.filter(dirty=True).values_list("switch", flat=True))
    return {name for name, switch in known.items() if name not in dirty and _met(switch)}


def due(known: dict[str, Switch], now: datetime) -> set[str]:
    """The names of those that are to be repaired now."""
    rows = {row.switch: row for row in SwitchSync.objects.all()}
    return {name for name, switch in known.items() if _due(switch, rows.get(name), now)}


def mark(names: Iterable[str]) -> None:
    """Something is about to be sent to these switches."""
    now = timezone.now()
    rows = [SwitchSync(switch=name, dirty=True, marked_at=now) for name in sorted(names)]
    SwitchSync.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["switch"], update_fields=["dirty", "marked_at"]
    )


def marks() -> dict[str, datetime | None]:
    """Return by switch when something was about to be sent to it last."""
    return dict(SwitchSync.objects.order_by().values_list("switch", "marked_at"))


def confirmed(names: Iterable[str]) -> None:
    """These switches have all of the plan."""
    rows = SwitchSync.objects.filter(switch__in=list(names))
    rows.update(dirty=False, attempts=0, retry_at=None, problem=None)


def met(switch: Switch) -> None:
    """The table of `switch` equals the plan over the connection with the epoch that it has now."""
    Switch.objects.filter(pk=switch.pk).update(epoch=switch.epoch, reconciled_epoch=switch.epoch)


def failed(name: str, problem: dict[str, Any], again: bool = False) -> None:
    """The switch could not be asked, or refused: it stays dirty and is tried again later.

    With `again` the first attempt to repair it is made at once.
    """
    row, _ = SwitchSync.objects.get_or_create(switch=name)
    pause = min(timedelta(seconds=2**row.attempts if row.attempts < 10 else 1024), LONGEST_PAUSE)
    row.dirty, row.problem = True, problem
    row.retry_at = None if again and not row.attempts else timezone.now() + pause
    row.attempts += 1
    row.save()


def ask_for(names: Iterable[str]) -> None:
    """Somebody wants these switches read back now."""
    wanted = list(names)
    mark(wanted)
    SwitchSync.objects.filter(switch__in=wanted).update(retry_at=None, attempts=0, problem=None)


def hasten(names: Iterable[str]) -> None:
    """Something changed for the better: these switches are due at once, if they are due at all."""
    SwitchSync.objects.filter(switch__in=list(names)).update(retry_at=None, attempts=0)


def retry(names: Iterable[str]) -> None:
    """There is more to do for these switches: do not wait until their pause is over."""
    SwitchSync.objects.filter(switch__in=list(names)).update(retry_at=None)


def forget(names: Iterable[str]) -> None:
    """These switches are gone."""
    SwitchSync.objects.filter(switch__in=list(names)).delete()


def _met(switch: Switch) -> bool:
    return 0 < switch.epoch == switch.reconciled_epoch


def _due(switch: Switch, row: SwitchSync | None, now: datetime) -> bool:
    if row is None:
        return not _met(switch)
    return (row.dirty or not _met(switch)) and _is_over(row.retry_at, now)


def _is_over(retry_at: datetime | None, now: datetime) -> bool:
    """Whether a pause is over; one longer than any was begun before the clock was set back."""
    return retry_at is None or not now < retry_at <= now + LONGEST_PAUSE
