"""The number of entries in a table while the steps of a change are applied to it."""

from __future__ import annotations

from collections.abc import Iterable

from controller_app.openflow.flow_entry import FlowEntry, Key
from controller_app.programming.change_request import ChangeStep
from controller_app.switch.connection import Connection
from controller_app.switch.flow_stats import read_table


def read_keys(connection: Connection) -> set[Key | int]:
    """The keys of the switch's content entries now, and a number for each one whose match is unreadable."""
    table = read_table(connection)
    return {*(entry.key for entry in table.entries), *range(len(table.strange))}


def peak_occupancy(held: Iterable[Key | int], steps: Iterable[ChangeStep], at_once: bool) -> int:
    """The most entries that a table with `held` has after any step, or, unless `at_once`, also within one.

    A step that is not done at once adds before it removes.
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
    """Return one step with the result of `steps` one after the other: the last step with a key decides.

    It leaves the packets that match no entry as they are, since all entries change together.
    """
    last: dict[Key, FlowEntry | None] = {}
    for step in steps:
        last.update((entry.key, entry) for entry in step.add)
        last.update((key, None) for key in step.remove)
    return ChangeStep(
        tuple(entry for entry in last.values() if entry is not None),
        tuple(key for key, entry in last.items() if entry is None),
    )
