"""Installed entries under covers, kept up to date while exact entries below them change.

The outputs of an exact entry hold those of every exact entry that covers it (see `docs/algorithms.md`). So
the union over a region is the union of the exact entries that begin in it, and where none does, what the
nearest one above says. A node counts, for each bit, the exact entries that bring it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from tercast.keys import LENGTH_MASK, NONE, Key, Order
from tercast.site import Bit, Mask


class Node:
    """An entry at the `dz` of a cover or at one that it keeps.

    `up` is the nearest node above in the same cover (NONE at its top), `kids` those right below, in order.
    `counts` are the exact entries that resolve here by the bits that they bring; a node is `void` where its
    kids leave nothing of it. At the top of a cover `size` is its number of nodes, `entries` that of the exact
    entries of its table that it stands for.
    """

    __slots__ = ("counts", "entries", "kids", "mask", "size", "up", "void")

    def __init__(self, up: Key = NONE) -> None:
        self.up = up
        self.kids: list[Key] = []
        self.entries = 0
        self.size = 1
        self.counts: dict[Bit, int] = {}
        self.mask: Mask = 0
        self.void = False

    def count(self, mask: Mask) -> None:
        """One more entry brings the bits of `mask`."""
        counts = self.counts
        self.mask |= mask
        while mask:
            bit = mask & -mask
            mask ^= bit
            counts[bit] = counts.get(bit, 0) + 1

    def discount(self, mask: Mask) -> None:
        """One entry fewer brings them."""
        counts = self.counts
        while mask:
            bit = mask & -mask
            mask ^= bit
            left = counts[bit] - 1
            if left:
                counts[bit] = left
            else:
                del counts[bit]
                self.mask ^= bit

    def absorb(self, other: Node) -> None:
        """What resolved to another node resolves here as well."""
        counts = self.counts
        self.entries += other.entries
        self.mask |= other.mask
        if not counts:
            self.counts = other.counts.copy()
            return
        for bit, number in other.counts.items():
            counts[bit] = counts.get(bit, 0) + number


def tiled(order: Order, key: Key, kids: list[Key]) -> bool:
    """Whether `kids`, which do not overlap and stand in order, leave nothing of a cell."""
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
    own: Mapping[Key, Mask],
    others: Mapping[Key, Mask],
    within: Iterable[Key],
) -> dict[Key, Node]:
    """The nodes of a cover (its top and what it keeps are `cells`) from the exact entries `within` it.

    `own` are the entries of the table, `others` those whose outputs count as well.
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
    """Nodes that know each other and count nothing yet."""
    nodes: dict[Key, Node] = {}
    stack: list[Key] = []
    for key in sorted(cells):
        while stack and not order.covers(stack[-1], key):
            stack.pop()
        nodes[key] = Node(stack[-1] if stack else NONE)
        if stack:
            nodes[stack[-1]].kids.append(key)
        stack.append(key)
    for key, node in nodes.items():
        node.void = tiled(order, key, node.kids)
    return nodes
