"""Selections of nodes of a forest that get an entry, with masks, cost, covers and tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tercast.eventspace.dz import Dz
from tercast.optimizer.arrays.network_arrays import TableSet
from tercast.optimizer.arrays.table_arrays import CellArrays
from tercast.optimizer.kernels.entries import (
    cover_tops,
    narrowed,
    owners,
    redundant_costs,
    without_repeats,
    worth_it,
)
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.methods.switch_forest import SwitchForest, TablePart
from tercast.tables.covers import Cover, TableCovers


@dataclass(frozen=True, slots=True)
class EntrySelection:
    """Entries at the nodes `selected`; each has the outputs of its nodes (`mask`, by node).

    `cost` is that of the redundant copies, as the forest charges them.
    """

    forest: SwitchForest
    selected: Array
    owner: Array
    mask: Array
    allowed: Array
    total: Array
    cost: float

    def __len__(self) -> int:
        return int(self.selected.sum())

    @property
    def is_exact(self) -> bool:
        """Whether the entries are the exact ones."""
        return bool((self.selected == self.forest.here).all())

    def covers(self) -> dict[str, TableCovers]:
        """Return the covers that change the exact entries to these entries, by topic."""
        out: dict[str, TableCovers] = {}
        tops = cover_tops(self.forest.parent, self.selected, self.needing())
        for part in self.forest.tables:
            found = tuple(self._covers_of(part, tops))
            known = out.get(part.topic.name, TableCovers())
            if part.port is None:
                out[part.topic.name] = TableCovers(found, known.in_port)
            elif found:
                out[part.topic.name] = TableCovers(known.plain, {**known.in_port, part.port: found})
        return out

    def tables(self) -> dict[str, TableSet]:
        """Return the installed tables, by topic."""
        out: dict[str, TableSet] = {}
        for part in self.forest.tables:
            nodes = np.arange(part.nodes.start, part.nodes.stop)
            nodes = nodes[self.selected[nodes]]
            cells = CellArrays(self.forest.code[nodes], self.forest.length[nodes], self.mask[nodes])
            known = out.get(part.topic.name)
            if part.port is None:
                out[part.topic.name] = TableSet(cells, known.inner if known else {})
            else:
                plain = part.topic.tables[self.forest.switch].plain
                inner = {**(known.inner if known else {}), part.port: cells}
                out[part.topic.name] = TableSet(plain, inner)
        return out

    def needing(self) -> Array:
        """Return the entries that are not exact: at no exact entry, or with one merged into them."""
        forest = self.forest
        merged = self.owner[np.flatnonzero(forest.here & ~self.selected)]
        out = self.selected & ~forest.here
        out[merged[merged >= 0]] = True
        return out

    def _covers_of(self, part: TablePart, tops: Array) -> list[Cover]:
        """Return the covers of one table; `tops` is the top entry of each entry's cover, else -1."""
        forest, codes = self.forest, part.topic.codes
        nodes = np.arange(part.nodes.start, part.nodes.stop)
        nodes = nodes[self.selected[nodes] & (tops[nodes] >= 0)]
        cells = zip(forest.code[nodes].tolist(), forest.length[nodes].tolist(), strict=True)
        kept: dict[int, list[Dz]] = {}
        for top, (code, length) in zip(tops[nodes].tolist(), cells, strict=True):
            kept.setdefault(top, []).append(codes.dz(code, length))
        return [Cover(found[0], tuple(found[1:])) for found in kept.values()]


Selections = dict[int, EntrySelection | None]
"""Decisions by switch; None if the budget cannot be met."""


def select(forest: SwitchForest, selected: Array, host_weight: float) -> EntrySelection:
    """Make the selection of these nodes.

    Exact entries under no other entry are added, because no cover can omit them. Of the exact entries, only
    shadowed ones can be missing there.
    """
    owner = owners(forest.parent, selected)
    bare = forest.here & (owner < 0)
    if bare.any():
        selected = selected | bare
        owner = owners(forest.parent, selected)
    mask, allowed, total = narrowed(owner, forest.has, forest.out, forest.edges, forest.charge)
    costs = redundant_costs(
        owner, forest.has, forest.out, mask, forest.charge, forest.link_words, host_weight
    )
    return EntrySelection(forest, selected, owner, mask, allowed, total, float(costs.sum()))


def tidied(selection: EntrySelection, host_weight: float) -> EntrySelection:
    """Return a selection without repeated entries and without covers that save nothing.

    The result costs no more and has no more entries.
    """
    forest = selection.forest
    left = without_repeats(
        forest.parent, selection.selected, selection.mask, selection.owner, forest.has, forest.passes
    )
    tidy = select(forest, left, host_weight)
    left = worth_it(forest.parent, forest.here, tidy.selected, tidy.needing())
    return tidy if (left == tidy.selected).all() else select(forest, left, host_weight)


def exact_selection(forest: SwitchForest, host_weight: float) -> EntrySelection:
    """Return the selection of the exact entries."""
    return select(forest, forest.here.copy(), host_weight)
