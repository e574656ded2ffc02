"""The dz of many events in a space with cuts, as `CutSpace.dz_at` computes them.

All events descend the tree together, one level at a time. A cut is compared by rank: the number of cuts of
its attribute at or below the value. In the leaves, all events are halved together, one bit at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercast.eventspace.cut_space import Branch, CutSpace
from tercast.eventspace.dz import Dz
from tercast.eventspace.float_attribute import DoubleSection, Float
from tercast.eventspace.float_columns import FloatGrids
from tercast.runtime.growable_array import Ints

_WORD = 60
_MAX_DEPTH = 2 * _WORD
_Words = npt.NDArray[np.uint64]
_Flags = npt.NDArray[np.bool_]
_Places = npt.NDArray[Any]


class _ColumnTree(NamedTuple):
    """The nodes of a tree: leaves first. A leaf is its own child."""

    column: Ints
    rank: Ints
    left: Ints
    right: Ints
    root: int


class _Sides(NamedTuple):
    """The sections of an attribute by leaf: sizes, first places, and the grids of floats."""

    sizes: Ints
    lows: Ints
    domains: list[Float | None]
    grids: FloatGrids | None


class _Leaves(NamedTuple):
    """The leaves: the first 60 bits of their dz, with a sentinel, the rest, and sections."""

    first: _Words
    rest: _Words
    lengths: Ints
    sides: list[_Sides]


class CutColumns:
    """The arrays of a `CutSpace`, for columns of places."""

    def __init__(self, space: CutSpace) -> None:
        self._space = space
        self._columns = [space.positions.index(position) for position in space.indexed]
        branches = [*space.leaves, *(branch for branch in space.branches() if branch.cut is not None)]
        numbers = {id(branch): number for number, branch in enumerate(branches)}
        cuts = [branch.cut for branch in branches if branch.cut is not None]
        self._borders = [
            _border_array(space, position, sorted({cut.place for cut in cuts if cut.attribute == position}))
            for position in space.positions
        ]
        self._tree = self._made_tree(branches, numbers)
        self._leaves = self._made_leaves(branches[: len(space.leaves)])

    def dz(self, places: Sequence[_Places]) -> list[Dz]:
        """The dz of events by the columns of their places, in the order of `CutSpace.positions`."""
        leaf = self._descended(places)
        leaves = self._leaves
        head, lengths = leaves.first[leaf], leaves.lengths[leaf]
        tail = leaves.rest[leaf] if self._space.depth > _WORD else None
        sizes = [side.sizes[leaf] for side in leaves.sides]
        indexes = [
            self._indexes(side, leaf, places[column])
            for side, column in zip(leaves.sides, self._columns, strict=True)
        ]
        self._halve(head, tail, lengths, sizes, indexes)
        ones = head.tolist()
        if tail is None:
            return ones  # type: ignore[no-any-return]
        after = np.maximum(lengths - _WORD, 0).tolist()
        return [one << bits | rest for one, bits, rest in zip(ones, after, tail.tolist(), strict=True)]

    def _descended(self, places: Sequence[_Places]) -> Ints:
        """The leaf of each event."""
        ranks = np.stack(
            [
                np.searchsorted(borders, column, side="right")
                for borders, column in zip(self._borders, places, strict=True)
            ]
        )
        count = ranks.shape[1]
        tree, flat = self._tree, ranks.ravel()
        node = np.full(count, tree.root, np.int64)
        under_way = np.arange(count) if tree.root >= len(self._space.leaves) else np.empty(0, np.int64)
        while under_way.size:
            here = node[under_way]
            below = flat[tree.column[here] * count + under_way] <= tree.rank[here]
            here = np.where(below, tree.left[here], tree.right[here])
            node[under_way] = here
            under_way = under_way[here >= len(self._space.leaves)]
        return node

    def _indexes(self, side: _Sides, leaf: Ints, places: _Places) -> Ints:
        if side.grids is None:
            return places - side.lows[leaf]

        def exact(number: int) -> int:
            domain = side.domains[leaf[number]]
            return 0 if domain is None else domain.index(float(places[number]))

        return side.grids.of(leaf).cells(places, exact).astype(np.int64)

    def _halve(
        self,
        head: _Words,
        tail: _Words | None,
        lengths: Ints,
        sizes: list[Ints],
        indexes: list[Ints],
    ) -> None:
        """Halve the sections in turns, up to `depth` bits or one index in each section."""
        depth = self._space.depth
        turns = list(range(len(sizes)))
        while turns:
            again = []
            for a in turns:
                size, index = sizes[a], indexes[a]
                live = (size > 1) & (lengths < depth)
                if not live.any():
                    continue
                half = size >> 1
                right = (index >= half) & live
                index -= half * right
                sizes[a] = half + (size & 1 & right)  # 0 and 1 are not halved again
                _append(head, tail, lengths, live, right)
                again.append(a)
            turns = again

    def _made_tree(self, branches: Sequence[Branch], numbers: dict[int, int]) -> _ColumnTree:
        count = len(branches)
        zero, own = np.zeros(count, np.int64), np.arange(count, dtype=np.int64)
        tree = _ColumnTree(zero, zero.copy(), own, own.copy(), numbers[id(self._space.root)])
        for number, branch in enumerate(branches):
            if (cut := branch.cut) is not None:
                column = self._space.positions.index(cut.attribute)
                tree.column[number] = column
                tree.rank[number] = int(np.searchsorted(self._borders[column], cut.place))
                tree.left[number] = numbers[id(branch.left)]
                tree.right[number] = numbers[id(branch.right)]
        return tree

    def _made_leaves(self, leaves: Sequence[Branch]) -> _Leaves:
        lengths = [leaf.dz.bit_length() - 1 for leaf in leaves]
        over = [max(length - _WORD, 0) for length in lengths]
        return _Leaves(
            np.array([leaf.dz >> bits for leaf, bits in zip(leaves, over, strict=True)], np.uint64),
            np.array([leaf.dz & (1 << bits) - 1 for leaf, bits in zip(leaves, over, strict=True)], np.uint64),
            np.array(lengths, np.int64),
            [self._made_sides(leaves, a, position) for a, position in enumerate(self._space.indexed)],
        )

    def _made_sides(self, leaves: Sequence[Branch], a: int, position: int) -> _Sides:
        sections = [None if leaf.leaf is None else leaf.leaf.sections[a] for leaf in leaves]
        sizes = np.array([1 if section is None else section.size for section in sections], np.int64)
        if not isinstance(self._space.attributes[position], Float):
            return _Sides(sizes, np.array([leaf.region[position][0] for leaf in leaves], np.int64), [], None)
        domains = [section.part if isinstance(section, DoubleSection) else None for section in sections]
        return _Sides(sizes, np.empty(0, np.int64), domains, FloatGrids.made(domains))


def cut_columns(space: CutSpace) -> CutColumns | None:
    """The arrays of a space, made once; None if its numbers or its depth exceed NumPy's."""
    if space.columns is None:
        fits = space.depth <= _MAX_DEPTH and all(
            isinstance(space.attributes[i], Float) or _is_narrow(space.attributes[i].places)
            for i in space.positions
        )
        space.columns = CutColumns(space) if fits else False
    return space.columns or None


def _append(
    head: _Words,
    tail: _Words | None,
    lengths: Ints,
    live: _Flags,
    right: _Flags,
) -> None:
    """Append a bit to the dz of the events in `live`; the first 60 bits are in `head`."""
    if tail is None:
        head <<= live.view(np.uint8)
        head |= right
    else:
        first = live & (lengths < _WORD)
        head[:] = np.where(first, head << np.uint64(1) | right, head)
        tail[:] = np.where(live & ~first, tail << np.uint64(1) | right, tail)
    lengths += live


def _is_narrow(places: tuple[Any, Any]) -> bool:
    return bool(places[0] >= -(1 << 62) and places[1] <= 1 << 62)


def _border_array(space: CutSpace, position: int, borders: list[Any]) -> _Places:
    return np.array(borders, np.float64 if isinstance(space.attributes[position], Float) else np.int64)
