"""What aggregation keeps between the exact tables of a switch and those that are installed there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from tercast.routing.cell_keys import Key

if TYPE_CHECKING:
    from tercast.routing.switch_ports import PortMask
    from tercast.routing.switch_trie import SwitchTrie

Touched = dict[int, dict[Key, "PortMask | None"]]
"""By ingress port (0: plain entries): what was installed when changes were last taken."""


class TopicTables(Protocol):
    """The installed tables of one topic at one switch."""

    def take(self) -> Touched:
        """Hand over what was touched, and start again with nothing."""

    def give(self, touched: Touched) -> None:
        """Take over what `take` returned."""

    def take_exact(self) -> None:
        """Take over what was in the exact tables when changes were last taken."""


class TableOverlay(Protocol):
    """The installed tables of one switch."""

    @property
    def topics(self) -> Mapping[SwitchTrie, TopicTables]:
        """The installed tables by the exact ones of their topic."""

    @property
    def count(self) -> int:
        """The number of installed entries."""


def overlay_of(trie: SwitchTrie) -> TopicTables | None:
    """Return the installed tables over the exact tables of a trie; None where these are installed."""
    overlay = trie.site.overlay
    return None if overlay is None else overlay.topics.get(trie)
