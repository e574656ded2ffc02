"""The compact form of entries: each distinct list of actions once, and a short row for each entry.

`{"actions": [ACTIONS, ...], "entries": [[dst, priority, index of its actions], ...]}`, with the in_port as a
fourth value where there is one. A key to remove is a row `[dst, priority]`, with the in_port as a third.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controller_app.openflow.flow_entry import Action, FlowEntry, Key, Prefix, parse_entry, parse_key
from controller_app.programming.fast_entry_reader import FastEntryReader, quick_actions
from tercast.errors import Path, Refused
from tercast.runtime.strict_json import expect_integer, expect_list


class RowReader:
    """Reads rows that point into `actions`: quickly where they are plainly right, else strictly."""

    def __init__(self, actions: Sequence[object], ranges: Iterable[Prefix], quick: FastEntryReader) -> None:
        self._listed = actions
        self._ranges = tuple(ranges)
        self._quick = quick
        self._actions = {size: [quick_actions(listed, size) for listed in actions] for size in (4, 16)}

    def quick(self, row: object) -> FlowEntry | None:
        """The entry of a row, or None when the strict reader has to say."""
        if type(row) is not list or not 3 <= len(row) <= 4:
            return None
        index = row[2]
        if type(index) is not int or not 0 <= index < len(self._listed):
            return None
        key = self._quick.of(row[0], row[3] if len(row) == 4 else None, row[1])
        if key is None:
            return None
        actions: tuple[Action, ...] | None = self._actions[len(key.dst.address)][index]
        return None if actions is None else FlowEntry(key, actions)

    def strict(self, row: object, path: Path) -> FlowEntry:
        """The entry of a row. Raises Refused; what is wrong with its actions has their place in the row."""
        values = _expect_row(row, path, 3, "[dst, priority, index of its actions, in_port]")
        index = expect_integer(values[2], (*path, 2), 0, len(self._listed) - 1)
        obj = {"dst": values[0], "priority": values[1], "actions": self._listed[index]}
        return parse_entry({**obj, "in_port": values[3] if len(values) == 4 else None}, path, self._ranges)


def quick_key(row: object, quick: FastEntryReader) -> Key | None:
    """The key of a row, or None when the strict reader has to say."""
    if type(row) is not list or not 2 <= len(row) <= 3:
        return None
    return quick.of(row[0], row[2] if len(row) == 3 else None, row[1])


def strict_key(row: object, path: Path, ranges: Iterable[Prefix]) -> Key:
    """The key of a row, or of an object. Raises Refused."""
    if not isinstance(row, list):
        return parse_key(row, path, ranges)
    values = _expect_row(row, path, 2, "[dst, priority, in_port]")
    obj = {"dst": values[0], "priority": values[1], "in_port": values[2] if len(values) == 3 else None}
    return parse_key(obj, path, ranges)


def _expect_row(row: object, path: Path, least: int, form: str) -> Sequence[object]:
    values = expect_list(row, path)
    if not least <= len(values) <= least + 1:
        raise Refused(path, "bad_length", f"a row is {form}, the in_port may be left out", len(values))
    return values
