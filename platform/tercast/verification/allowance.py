"""Entries below a cover, which may send more than the subscriptions ask for."""

from __future__ import annotations

from collections.abc import Callable

from tercast.eventspace.dz import Dz
from tercast.tables.covers import Cover, NetworkCovers, TableCovers

Covers = Callable[[], NetworkCovers]


class Allowance:
    """Entries that may send too much: none (`exact`), all, or only those below `covers`.

    Covers are requested once for each check, and only when a finding needs them.
    """

    __slots__ = ("_covers", "_tops", "exact")

    def __init__(self, exact: bool, covers: Covers | None) -> None:
        self.exact = exact and covers is None
        self._covers = covers
        self._tops: dict[tuple[str, str, int | None], set[Dz]] | None = None

    @property
    def lenient(self) -> bool:
        """Whether all entries may send too much."""
        return not self.exact and self._covers is None

    def begin(self) -> None:
        """Start a check; covers may have changed since the last one."""
        self._tops = None

    def is_merged(self, switch: str, topic: str, in_port: int | None, dz: Dz) -> bool:
        """Whether an entry is below a cover."""
        if self._covers is None:
            return not self.exact
        if self._tops is None:
            self._tops = _tops(self._covers())
        tops = self._tops.get((switch, topic, in_port))
        return tops is not None and any(dz >> k in tops for k in range(dz.bit_length()))

    def has_covers(self, switch: str, topic: str) -> bool:
        """Whether a topic has covers at a switch, so that packets may no longer need other entries."""
        if self._covers is None:
            return not self.exact
        if self._tops is None:
            self._tops = _tops(self._covers())
        return any(at[:2] == (switch, topic) for at in self._tops)


def _tops(covers: NetworkCovers) -> dict[tuple[str, str, int | None], set[Dz]]:
    return {
        (switch, topic, port): {cover.dz for cover in found}
        for switch, topics in covers.items()
        for topic, table in topics.items()
        for port, found in _tables(table)
        if found
    }


def _tables(table: TableCovers) -> list[tuple[int | None, tuple[Cover, ...]]]:
    return [(None, table.plain), *table.in_port.items()]
