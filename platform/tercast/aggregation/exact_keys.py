"""The cells of exact entries in order, brought up to date when they are asked for."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping

from tercast.keys import Key
from tercast.site import Mask

_MANY = 64


class ExactKeys:
    """The keys of a table's exact entries. Changes are only noted; who asks for a range pays for them."""

    __slots__ = ("_changed", "_keys", "_own")

    def __init__(self, own: Mapping[Key, Mask]) -> None:
        self._own = own
        self._keys: list[Key] = sorted(own)
        self._changed: dict[Key, None] = {}

    def note(self, key: Key) -> None:
        """The entry at `key` has come or gone."""
        self._changed[key] = None

    def range(self, low: Key, high: Key) -> list[Key]:
        """The keys from `low` up to but not including `high`."""
        if self._changed:
            self._refresh()
        keys = self._keys
        start = bisect_left(keys, low)
        return keys[start : bisect_left(keys, high, start)]

    def _refresh(self) -> None:
        keys, own = self._keys, self._own
        if len(self._changed) > _MANY:
            keys[:] = sorted(own)
        else:
            for key in self._changed:
                at = bisect_left(keys, key)
                there = at < len(keys) and keys[at] == key
                if there and key not in own:
                    del keys[at]
                elif not there and key in own:
                    insort(keys, key)
        self._changed.clear()
