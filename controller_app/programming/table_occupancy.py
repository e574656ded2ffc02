"""Number of entries in a table while the steps of a change are applied."""

from __future__ import annotations

from collections.abc import Iterable

from controller_app.openflow.flow_entry import FlowEntry, FlowKey
from controller_app.programming.change_request import ChangeStep
from controller_app.switch.connection import Connection
from controller_app.switch.flow_stats import read_table


def read_keys(connection: Connection) -> set[FlowKey | int]:
    """Return the keys of a switch's content entries, and a number for each unreadable entry."""
    table = read_table(connection)
    return {*(entry.key for entry in table.entries), *range(len(table.strange))}


def peak_occupancy(held: Iterable[FlowKey | int], steps: Iterable[ChangeStep], at_once: bool) -> int:
    """Return the highest number of entries in a table while steps are applied.

    Args:
        held: Keys in the table before the first step.
        at_once: Each step is atomic. Otherwise it adds first and then removes.
    """
    keys = set(held)
    most = 0
    for step in steps:
        if at_once:
            keys.difference_update(step.remove)
        keys.update(entry.key for entry in step.add)
        most = max(most, len(keys))
        keys.difference_update(step.remove)
    return most


def merge_steps(steps: Iterable[ChangeStep]) -> ChangeStep:
    """Return one step with the result of all steps; for each key, the last step decides.

    It has no `rest`, because all entries change together.
    """
    last: dict[FlowKey, FlowEntry | None] = {}
    for step in steps:
        last.update((entry.key, entry) for entry in step.add)
        last.update((key, None) for key in step.remove)
    return ChangeStep(
        tuple(entry for entry in last.values() if entry is not None),
        tuple(key for key, entry in last.items() if entry is None),
    )
