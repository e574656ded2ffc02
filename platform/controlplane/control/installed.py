"""The entries that switches have confirmed, as rows; changed in bulk, by differences."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count

from controlplane.control.batches import chunks
from controlplane.network.models import InstalledEntry, Switch
from tercast.tables import Action, Entry, Key, Output, SetDst, SwitchDiff, Table, difference


def table(switch: Switch) -> Table:
    """The entries that `switch` has confirmed."""
    rows = InstalledEntry.objects.filter(switch=switch)
    return tuple(
        Entry(dst, in_port, priority, tuple(map(_action, actions)))
        for dst, in_port, priority, actions in rows.values_list("dst", "in_port", "priority", "actions")
    )


def become(switch: Switch, entries: Table, at: datetime) -> None:
    """Make the kept table of `switch` equal `entries`, changing what differs and nothing else."""
    change(switch, difference(switch.name, table(switch), entries), at)


def change(switch: Switch, diff: SwitchDiff, at: datetime) -> None:
    """Apply `diff` to the kept table of `switch`; entries that are there already are replaced."""
    _delete(switch, [entry.key for entry in (*diff.added, *diff.modified, *diff.removed)])
    rows = [_row(switch, entry, at) for entry in diff.installs]
    InstalledEntry.objects.bulk_create(rows, batch_size=500)


def counts(names: Iterable[str]) -> dict[str, int]:
    """How many entries are kept, by name of the switch."""
    wanted = list(names)
    rows = InstalledEntry.objects.filter(switch__name__in=wanted).order_by()
    found = dict(rows.values_list("switch__name").annotate(n=Count("id")))
    return {name: found.get(name, 0) for name in wanted}


def _delete(switch: Switch, keys: Sequence[Key]) -> None:
    wanted = set(keys)
    for part in chunks(sorted({dst for dst, _ in wanted})):
        rows = InstalledEntry.objects.filter(switch=switch, dst__in=part).values_list("id", "dst", "in_port")
        ids = [pk for pk, dst, in_port in rows if (dst, in_port) in wanted]
        for some in chunks(ids):
            InstalledEntry.objects.filter(id__in=some).delete()


def _row(switch: Switch, entry: Entry, at: datetime) -> InstalledEntry:
    return InstalledEntry(
        switch=switch,
        dst=entry.dst,
        in_port=entry.in_port,
        priority=entry.priority,
        actions=[action.to_json() for action in entry.actions],
        confirmed_at=at,
    )


def _action(row: dict[str, Any]) -> Action:
    return Output(row["output"]) if "output" in row else SetDst(row["set_dst"])
