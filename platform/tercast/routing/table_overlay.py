"""What aggregation installs at a switch instead of its exact tables, as routing sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tercast.routing.cell_keys import Key

InstalledBefore = dict[int, dict[Key, int | None]]
"""By ingress port (0: plain entries): masks of what was installed when changes were last taken."""


class TopicTables(Protocol):
    """The installed tables of one topic at one switch."""

    def take_changes(self) -> InstalledBefore:
        """Return what was touched, and forget it."""

    def load_changes(self, touched: InstalledBefore) -> None:
        """Let this be what was touched: a value of `take_changes`."""

    def load_exact_changes(self) -> None:
        """Let what was touched in the exact tables be what was touched here."""


class TableOverlay(Protocol):
    """The installed tables of one switch."""

    @property
    def topics(self) -> Mapping[Any, TopicTables]:
        """The installed tables by the trie of their topic."""

    @property
    def count(self) -> int:
        """The number of installed entries."""
