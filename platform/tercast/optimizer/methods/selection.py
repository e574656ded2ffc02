"""Which nodes of a board get an entry, and what follows: masks, cost, covers, tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercast.eventspace.dz import Dz
from tercast.optimizer.arrays.network_arrays import TableSet
from tercast.optimizer.arrays.table_arrays import CellArrays
from tercast.optimizer.kernels.entries import (
    cover_tops,
    narrowed,
    needless,
    owners,
    without_repeats,
    worth_it,
)
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.methods.switch_forest import SwitchForest, TablePart
from tercast.tables.covers import Cover, TableCovers


@dataclass(frozen=True, slots=True)
class EntrySelection:
    """Entries at the nodes `standing`; each has the outputs of what resolves to it (`mask`, by node).

    `cost` is that of the needless copies, as the board charges them.
    """

    board: SwitchForest
    standing: Array
    owner: Array
    mask: Array
    allowed: Array
    total: Array
    cost: float

    def __len__(self) -> int:
        return int(self.standing.sum())

    @property
    def is_exact(self) -> bool:
        """Whether the entries are just the exact ones."""
        return bool((self.standing == self.board.here).all())

    def covers(self) -> dict[str, TableCovers]:
        """The covers that make these entries of the exact ones, by topic."""
        out: dict[str, TableCovers] = {}
        tops = cover_tops(self.board.parent, self.standing, self.needing())
        for part in self.board.tables:
            found = tuple(self._covers_of(part, tops))
            known = out.get(part.topic.name, TableCovers())
            if part.port is None:
                out[part.topic.name] = TableCovers(found, known.in_port)
            elif found:
                out[part.topic.name] = TableCovers(known.plain, {**known.in_port, part.port: found})
        return out

    def tables(self) -> dict[str, TableSet]:
        """The tables that are installed, by topic."""
        out: dict[str, TableSet] = {}
        for part in self.board.tables:
            nodes = np.arange(part.nodes.start, part.nodes.stop)
            nodes = nodes[self.standing[nodes]]
            cells = CellArrays(self.board.code[nodes], self.board.length[nodes], self.mask[nodes])
            known = out.get(part.topic.name)
            if part.port is None:
                out[part.topic.name] = TableSet(cells, known.inner if known else {})
            else:
                plain = part.topic.tables[self.board.switch].plain
                inner = {**(known.inner if known else {}), part.port: cells}
                out[part.topic.name] = TableSet(plain, inner)
        return out

    def needing(self) -> Array:
        """The entries that are not exact: at no exact entry, or with an exact one merged into them."""
        board = self.board
        merged = self.owner[np.flatnonzero(board.here & ~self.standing)]
        out = self.standing & ~board.here
        out[merged[merged >= 0]] = True
        return out

    def _covers_of(self, part: TablePart, tops: Array) -> list[Cover]:
        """The covers of one table; `tops` is for each entry under a cover the entry at its top, else -1."""
        board, codes = self.board, part.topic.codes
        nodes = np.arange(part.nodes.start, part.nodes.stop)
        nodes = nodes[self.standing[nodes] & (tops[nodes] >= 0)]
        cells = zip(board.code[nodes].tolist(), board.length[nodes].tolist(), strict=True)
        kept: dict[int, list[Dz]] = {}
        for top, (code, length) in zip(tops[nodes].tolist(), cells, strict=True):
            kept.setdefault(top, []).append(codes.dz(code, length))
        return [Cover(found[0], tuple(found[1:])) for found in kept.values()]


Selections = dict[int, EntrySelection | None]
"""What was decided, by switch; None where the budget cannot hold."""


def select(board: SwitchForest, standing: Array, host_weight: float) -> EntrySelection:
    """The selection of these nodes.

    And of exact entries under no other entry, which no cover can leave out (those that longer ones hide
    altogether are all that can be missing among them).
    """
    owner = owners(board.parent, standing)
    bare = board.here & (owner < 0)
    if bare.any():
        standing = standing | bare
        owner = owners(board.parent, standing)
    mask, allowed, total = narrowed(owner, board.has, board.out, board.edges, board.charge)
    costs = needless(owner, board.has, board.out, mask, board.charge, board.link_words, host_weight)
    return EntrySelection(board, standing, owner, mask, allowed, total, float(costs.sum()))


def tidied(selection: EntrySelection, host_weight: float) -> EntrySelection:
    """The same without entries that repeat the one above, and without covers that save nothing.

    It costs no more and has no more entries.
    """
    board = selection.board
    left = without_repeats(
        board.parent, selection.standing, selection.mask, selection.owner, board.has, board.passes
    )
    tidy = select(board, left, host_weight)
    left = worth_it(board.parent, board.here, tidy.standing, tidy.needing())
    return tidy if (left == tidy.standing).all() else select(board, left, host_weight)


def exact_selection(board: SwitchForest, host_weight: float) -> EntrySelection:
    """The exact entries."""
    return select(board, board.here.copy(), host_weight)
