"""Installed entries under covers, updated while exact entries below them change.

The outputs of an exact entry, with the suppressed ones, contain those of every exact entry that covers it. So
the outputs of a region are the union of the exact entries that begin in it, or if there are none, the outputs
of the nearest entry above. A node counts, for each bit, the exact entries with this bit, all in one number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from tercast.routing.cell_keys import LENGTH_MASK, NONE, Key, Order
from tercast.routing.switch_ports import PortMask

FIELD = 32
"""Bits of a tally for each bit of a mask; no table has so many entries that one overflows."""

_FULL = (1 << FIELD) - 1

Tally = int
"""Number of exact entries with each bit of a mask, one field per bit; tallies can be added."""


CoverCells = tuple[Key, tuple[Key, ...]]
"""A cover by keys: its top, and the cells of its exceptions."""

Members = list[tuple[Key, "Node | None"]]
"""Installed keys with their nodes; None for an exact entry."""


@lru_cache(1 << 12)
def tally_of(mask: PortMask) -> Tally:
    """The tally of one entry."""
    out = 0
    while mask:
        bit = mask & -mask
        mask ^= bit
        out |= 1 << FIELD * (bit.bit_length() - 1)
    return out


def mask_of(tally: Tally) -> PortMask:
    """The bits that a tally counts."""
    out, bit = 0, 1
    while tally:
        if tally & _FULL:
            out |= bit
        tally >>= FIELD
        bit <<= 1
    return out


class Node:
    """An entry at the `dz` of a cover or at one of its exceptions.

    `up` is the nearest node above in the same cover (NONE at its top), `kids` are those directly below, in
    order. `tally` counts the exact entries that resolve here, by their bits. A node is `void` if its kids
    resolve all of its space. At the top of a cover, `size` is its number of nodes, and `entries` is the
    number of exact entries of its table that it replaces.
    """

    __slots__ = ("entries", "kids", "mask", "size", "tally", "up", "void")

    def __init__(self, up: Key = NONE) -> None:
        self.up = up
        self.kids: list[Key] | tuple[()] = ()
        self.entries = 0
        self.size = 1
        self.tally: Tally = 0
        self.mask: PortMask = 0
        self.void = False

    def under(self, up: Key) -> Node:
        """Return a copy of the node below another node."""
        other = Node(up)
        other.kids, other.size, other.void = self.kids, self.size, self.void
        other.entries, other.tally, other.mask = self.entries, self.tally, self.mask
        return other

    def count(self, mask: PortMask) -> None:
        """Count an additional entry with the bits of `mask`."""
        self.mask |= mask
        self.tally += tally_of(mask)

    def discount(self, mask: PortMask) -> None:
        """Count one entry fewer with the bits of `mask`."""
        left = self.tally = self.tally - tally_of(mask)
        while mask:
            bit = mask & -mask
            mask ^= bit
            if not left >> FIELD * (bit.bit_length() - 1) & _FULL:
                self.mask ^= bit


def tiled(order: Order, key: Key, kids: Sequence[Key]) -> bool:
    """Whether `kids`, which are disjoint and in order, leave nothing of a cell."""
    shift = order.shifts[key & LENGTH_MASK]
    start = bisect_left(kids, key)
    if start and order.covers(kids[start - 1], key):
        return True
    if start == len(kids) or (kids[start] ^ key) >> shift:
        return False
    end = (key >> shift) + 1 << shift
    shifts = order.shifts
    inside = kids[start : bisect_left(kids, end)]
    return sum(1 << shifts[kid & LENGTH_MASK] for kid in inside) == 1 << shift


def grow(
    order: Order,
    cells: Iterable[Key],
    own: Mapping[Key, PortMask],
    others: Mapping[Key, PortMask],
    within: Iterable[Key],
) -> dict[Key, Node]:
    """Create the nodes of a cover from the exact entries `within` it.

    `cells` are its top and its exceptions. `own` are the entries of the table, `others` are entries whose
    outputs also count.
    """
    nodes = frame(order, cells)
    top = nodes[min(nodes)]
    top.size = len(nodes)
    stack: list[Key] = []
    for key in sorted({*nodes, *within}):
        while stack and not order.covers(stack[-1], key):
            stack.pop()
        if key in nodes:
            stack.append(key)
        mask, mine = others.get(key, 0), own.get(key)
        node = nodes[stack[-1]]
        if mine is not None:
            top.entries += 1
        if (mask or mine) and not (node.kids and tiled(order, key, node.kids)):
            if mask:
                node.count(mask)
            if mine:
                node.count(mine)
    return nodes


def frame(order: Order, cells: Iterable[Key]) -> dict[Key, Node]:
    """Create linked nodes without counts."""
    nodes: dict[Key, Node] = {}
    stack: list[Key] = []
    for key in sorted(cells):
        while stack and not order.covers(stack[-1], key):
            stack.pop()
        nodes[key] = Node(stack[-1] if stack else NONE)
        if stack:
            over = nodes[stack[-1]]
            over.kids = [*over.kids, key]
        stack.append(key)
    for key, node in nodes.items():
        node.void = tiled(order, key, node.kids)
    return nodes
