"""Exhaustive merge: where LA may merge no pair any more, the covers that leave the fewest entries of all.

From the lowest cells up, these covers (`minimum_entries`) replace what is installed, until the budget
holds. At the root of the trie that is the minimum, so if this does not meet a budget, no covers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tercast.aggregation.incremental.cover_node import Members
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.minimum_entries import MinimumEntries
from tercast.requests.outcome import Least
from tercast.routing.cell_keys import LENGTH_MASK, NONE


def merge_exhaustively(tables: Sequence[InstalledTable], excess: int) -> tuple[list[Undo], Least]:
    """Let the tables of a switch have `excess` entries fewer, or change nothing; the fewest they can have."""
    programmes = [MinimumEntries(table) for table in tables]
    least = Least(sum(one.entries for one in programmes), all(one.proven for one in programmes))
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
    """All cells of all tables, the longest first; of equal ones the first table's, and the first in order."""
    found = (
        (-(key & LENGTH_MASK), number, v)
        for number, programme in enumerate(programmes)
        for v, key in enumerate(programme.keys)
    )
    return ((number, v) for _, number, v in sorted(found))


def _is_inside(table: InstalledTable, key: int) -> bool:
    """Whether a cover stands over a cell."""
    at = table.home(key)
    return at != NONE and (at != key or table.nodes[at].up != NONE)


def _members(table: InstalledTable, programme: MinimumEntries, v: int) -> Members:
    """What stands in a cell where covers leave the fewest entries."""
    members: Members = []
    key = programme.keys[v]
    start = key
    for top, kept in programme.covers(v):
        members += [(exact, None) for exact in table.exact.range(start, top)]
        members += table.exact.build((top, kept))
        start = table.order.end(top)
    members += [(exact, None) for exact in table.exact.range(start, table.order.end(key))]
    return members
