"""Changes for the switches of a partition."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.tables.entries import Diff


@dataclass(frozen=True, slots=True)
class TablePush:
    """A change for the switches of a partition, and the borders that are closed after it.

    The order matters, because new entries can join parts whose borders would form a cycle: first the switches
    confirm the drop entries of the closed borders, then all other entries change, then borders open.
    """

    number: int
    diff: Diff
    closed: frozenset[str]
