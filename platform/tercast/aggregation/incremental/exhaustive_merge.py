"""Exhaustive merge: if LA may merge no more pairs, find the covers with the fewest entries.

From the lowest cells upwards, these covers (`minimum_entries`) replace what is installed, until the budget is
met. At the root of the trie, the result is the minimum. So if it does not meet a budget, no covers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tercast.aggregation.incremental.cover_node import Members
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.minimum_entries import MinimumEntries
from tercast.requests.outcome import FewestEntries
from tercast.routing.cell_keys import LENGTH_MASK, NONE


def merge_exhaustively(tables: Sequence[InstalledTable], excess: int) -> tuple[list[Undo], FewestEntries]:
    """Reduce the tables of a switch by `excess` entries, or change nothing.

    Returns:
        What undoes the changes, and the fewest entries that the tables can have.
    """
    programmes = [MinimumEntries(table) for table in tables]
    least = FewestEntries(sum(one.entries for one in programmes), all(one.proven for one in programmes))
    undo: list[Undo] = []
    left = excess
    if left > sum(map(len, tables)) - least.entries:
        return undo, least
    for number, v in _from_below(programmes):
        if left <= 0:
            break
        table, programme = tables[number], programmes[number]
        key = programme.keys[v]
        saved = len(table.within(key)) - programme.least[v]
        if saved > 0 and not _is_inside(table, key):
            undo.append(table.replace_cell(key, _members(table, programme, v)))
            left -= saved
    return undo, least


def _from_below(programmes: Sequence[MinimumEntries]) -> Iterator[tuple[int, int]]:
    """Yield all cells of all tables: the longest first, then by table, then in order."""
    found = (
        (-(key & LENGTH_MASK), number, v)
        for number, programme in enumerate(programmes)
        for v, key in enumerate(programme.keys)
    )
    return ((number, v) for _, number, v in sorted(found))


def _is_inside(table: InstalledTable, key: int) -> bool:
    """Whether a cell is inside a cover."""
    at = table.home(key)
    return at != NONE and (at != key or table.nodes[at].up != NONE)


def _members(table: InstalledTable, programme: MinimumEntries, v: int) -> Members:
    """The members of a cell with covers that leave the fewest entries."""
    members: Members = []
    key = programme.keys[v]
    start = key
    for top, kept in programme.covers(v):
        members += [(exact, None) for exact in table.exact.range(start, top)]
        members += table.exact.build((top, kept))
        start = table.order.end(top)
    members += [(exact, None) for exact in table.exact.range(start, table.order.end(key))]
    return members
