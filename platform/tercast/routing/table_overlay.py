"""Interfaces for the tables that aggregation installs at a switch in place of exact tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from tercast.routing.cell_keys import Key

InstalledBefore = dict[int, dict[Key, int | None]]
"""By ingress port (0: plain entries): the masks that were installed when changes were last taken."""


class TopicTables(Protocol):
    """The installed tables of one topic at one switch."""

    def take_changes(self) -> InstalledBefore:
        """Return the touched entries, and forget them."""

    def load_changes(self, touched: InstalledBefore) -> None:
        """Set the touched entries to a result of `take_changes`."""

    def load_exact_changes(self) -> None:
        """Set the touched entries to those of the exact tables."""


class TableOverlay(Protocol):
    """The installed tables of one switch."""

    @property
    def topics(self) -> Mapping[Any, TopicTables]:
        """The installed tables by the trie of their topic."""

    @property
    def count(self) -> int:
        """The number of installed entries."""
