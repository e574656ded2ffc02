"""The nodes of one table: cells of entries and other cells that divide the space, as a trie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tercast.optimizer.arrays.table_arrays import CellArrays, CellCodes
from tercast.optimizer.kernels.tries import Array, climb, grow


@dataclass(frozen=True, slots=True)
class Nodes:
    """A trie, with the nodes of the cells of each layer and of the events.

    Attributes:
        has: whether a node has own space, which no node below covers.
        volume: the size of that space as a share of the whole.
        of_layer: for each layer, the nodes of its cells.
        above: for each layer, the index of its cell that contains the root, or -1.
        inside: the events within the root.
        at: the nodes whose own space contains these events.
    """

    parent: Array
    depth: Array
    length: Array
    code: Array
    has: Array
    volume: Array
    of_layer: tuple[Array, ...]
    above: tuple[int, ...]
    inside: Array
    at: Array

    def values(self, layer: int) -> Array:
        """Return, for each node, the index of the layer's cell at it, or -1."""
        out = np.full(len(self.parent), -1, dtype=np.int64)
        nodes = self.of_layer[layer]
        placed = nodes >= 0
        out[nodes[placed]] = np.flatnonzero(placed)
        return out


@dataclass(frozen=True, slots=True)
class _Marks:
    """Distinct cells in depth-first order; `group` has the index for each cell of all layers."""

    code: Array
    length: Array
    group: Array


def inner_cells(codes: CellCodes, entries: CellArrays, layer: CellArrays) -> CellArrays:
    """Return a layer's cells within the root cell of the entries, after one that contains it."""
    if not len(layer):
        return layer
    code, length = _root(codes, entries)
    root = np.full(len(layer), code, dtype=codes.kind)
    shared = codes.shared(layer.code, root)
    within = (layer.length > length) & (shared >= length)
    over = np.flatnonzero((layer.length <= length) & (shared >= layer.length))
    kept = np.concatenate((over[-1:], np.flatnonzero(within)))
    return CellArrays(layer.code[kept], layer.length[kept], layer.mask[kept])


def lay_out(
    codes: CellCodes, layers: Sequence[CellArrays], events: Array, weight: Array, most_gaps: int
) -> Nodes:
    """Build the trie of layers (the entries, then results of `inner_cells`) and of events."""
    _, root = _root(codes, layers[0])
    above = (-1, *(0 if len(layer) and layer.length[0] <= root else -1 for layer in layers[1:]))
    pairs = [
        (layer.code[skip + 1 :], layer.length[skip + 1 :]) for skip, layer in zip(above, layers, strict=True)
    ]
    marks = _merged(pairs)
    near, deepest, leaf = _place(codes, marks, events)
    inside = np.flatnonzero(deepest >= root)
    near, deepest, leaf = near[inside], deepest[inside], leaf[inside]
    loose = np.flatnonzero(~leaf)
    starts, lengths, which = _gaps(
        codes, events[inside[loose]], deepest[loose], weight[inside[loose]], most_gaps
    )
    whole = _merged([*pairs, (starts, lengths)]) if len(starts) else marks
    parent, depth, length, cell = _grow(codes, whole)
    of_mark = np.full(len(whole.length), -1, dtype=np.int64)
    found = np.flatnonzero(cell >= 0)
    of_mark[cell[found]] = found
    some = np.where(cell >= 0, cell, -1 - cell)
    code = codes.cut(whole.code[some], length)
    bounds = np.cumsum([0, *(len(pair[1]) for pair in pairs)])
    placed = [of_mark[whole.group[a:b]] for a, b in pairwise(bounds.tolist())]
    of_layer = tuple(
        np.concatenate((np.full(skip + 1, -1, dtype=np.int64), nodes))
        for skip, nodes in zip(above, placed, strict=True)
    )
    first_of_mark = np.zeros(len(marks.length), dtype=np.int64)
    first_of_mark[marks.group] = of_mark[whole.group[: len(marks.group)]]
    at = first_of_mark[near]
    at[loose] = climb(at[loose], deepest[loose], parent, length)
    noded = which >= 0
    at[loose[noded]] = of_mark[whole.group[len(marks.group) :]][which[noded]]
    has, volume = _own_space(parent, length)
    return Nodes(parent, depth, length, code, has, volume, of_layer, above, inside, at)


def _root(codes: CellCodes, entries: CellArrays) -> tuple[int, int]:
    """Return the smallest cell that contains all entries: a code and a length."""
    shared = int(codes.shared(entries.code[:1], entries.code[-1:])[0])
    return entries.code[0], int(min(shared, entries.length.min()))


def _merged(pairs: Sequence[tuple[Array, Array]]) -> _Marks:
    """Return the distinct cells of all pairs of codes and lengths."""
    code = np.concatenate([pair[0] for pair in pairs])
    length = np.concatenate([pair[1] for pair in pairs])
    order = np.argsort(length, kind="stable")
    order = order[np.argsort(code[order], kind="stable")]
    code, length = code[order], length[order]
    new = np.ones(len(code), dtype=np.bool_)
    new[1:] = (code[1:] != code[:-1]) | (length[1:] != length[:-1])
    group = np.empty(len(code), dtype=np.int64)
    group[order] = np.cumsum(new) - 1
    return _Marks(code[new], length[new], group)


def _grow(codes: CellCodes, marks: _Marks) -> tuple[Array, Array, Array, Array]:
    shared = np.zeros(len(marks.length), dtype=np.int64)
    between = codes.shared(marks.code[1:], marks.code[:-1])
    shared[1:] = np.minimum(between, np.minimum(marks.length[1:], marks.length[:-1]))
    parent, depth, length, cell = grow(marks.length, shared)
    return parent, depth, length, cell


def _place(codes: CellCodes, marks: _Marks, events: Array) -> tuple[Array, Array, Array]:
    """Return, for each event, a mark next to it, the length of its path, and if it is in a leaf."""
    last = len(marks.length) - 1
    at = np.searchsorted(marks.code, events, side="right") - 1
    before, after = np.maximum(at, 0), np.minimum(at + 1, last)
    left = np.minimum(codes.shared(events, marks.code[before]), marks.length[before])
    right = np.minimum(codes.shared(events, marks.code[after]), marks.length[after])
    left[at < 0] = -1
    right[at == last] = -1
    leaf = np.ones(last + 1, dtype=np.bool_)
    leaf[:-1] = codes.shared(marks.code[1:], marks.code[:-1]) < marks.length[:-1]
    hit = (left == marks.length[before]) & leaf[before] & (at >= 0)
    return np.where((left >= right) | hit, before, after), np.maximum(left, right), hit


def _gaps(
    codes: CellCodes, events: Array, deepest: Array, weight: Array, most: int
) -> tuple[Array, Array, Array]:
    """Return the gaps that contain events: codes and lengths of the `most` heaviest.

    Returns:
        Codes, lengths, and for each event the index of its gap, or -1.
    """
    if not most:
        return codes.array([]), np.zeros(0, dtype=np.int64), np.full(len(events), -1, dtype=np.int64)
    length = deepest + 1
    starts, first, which = np.unique(codes.cut(events, length), return_index=True, return_inverse=True)
    lengths = length[first]
    if len(starts) <= most:
        return starts, lengths, which
    loads = np.bincount(which, weights=weight, minlength=len(starts))
    kept = np.sort(np.argsort(-loads, kind="stable")[:most])
    place = np.full(len(starts), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    return starts[kept], lengths[kept], place[which]


def _own_space(parent: Array, length: Array) -> tuple[Array, Array]:
    """Return which nodes have space that no child covers, and its size."""
    volume = np.exp2(-length.astype(np.float64))
    below = np.flatnonzero(parent >= 0)
    taken = np.bincount(parent[below], weights=volume[below], minlength=len(parent))
    own = volume - taken
    return own > 0, own
