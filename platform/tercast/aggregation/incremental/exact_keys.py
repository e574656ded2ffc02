"""The cells of exact entries in order, found among the cells at which their trie has anything at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tercast.routing.cell_keys import Key
from tercast.routing.switch_ports import PortMask

if TYPE_CHECKING:
    from tercast.routing.switch_trie import SwitchTrie


class ExactKeys:
    """The keys of a table's exact entries; nothing has to be done when these change.

    An entry stands only at cells where subscriptions or advertisements begin, which the trie keeps in order.
    """

    __slots__ = ("_own", "_trie")

    def __init__(self, trie: SwitchTrie, own: Mapping[Key, PortMask]) -> None:
        self._trie = trie
        self._own = own

    def range(self, low: Key, high: Key) -> list[Key]:
        """The keys from `low` (above NONE) up to but not including `high`."""
        own = self._own
        return [key for key in self._trie.storage.owned_keys(low, high) if key in own]
