"""Merge points: common prefixes of a table's installed entries, the longest first.

As in the merge point trees of Bhowmik et al. (section 5.1); only the lowest point is needed at a time.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from itertools import pairwise

from tercast.routing.cell_keys import LENGTH_BITS, LENGTH_MASK, NONE, Key, Order

_SLACK = 1_000

_FEW = 64
"""Number of new points up to which they stay in a list that is sorted when it is read."""


class MergePoints:
    """Common prefixes of neighbouring entries; some outdated prefixes remain.

    A point that may not be merged is forbidden. It stays so, with all points above, until outputs below it
    are removed, covers there get other exceptions, or trees change. A point within a cover is postponed until
    nothing else is left to merge.
    """

    __slots__ = ("_forbidden", "_heap", "_mask", "_new", "_order", "_postponed", "_rise", "_sorted")

    def __init__(self, order: Order, installed: Iterable[Key]) -> None:
        self._order = order
        self._forbidden: set[Key] = set()
        self._rise = order.depth + LENGTH_BITS + 1
        self._mask = (1 << self._rise) - 1
        self._heap: list[int] = []  # the number of bits missing from a point, above its key
        self._new: list[int] = []  # as `_heap`, for the newest points, most of which are merged soon
        self._sorted = True
        self.refill(installed)

    def refill(self, installed: Iterable[Key]) -> None:
        """Start again with the neighbours among these sorted keys."""
        self._forbidden.clear()
        self._new.clear()
        self._postponed: list[int] = []
        self._heap = [self._place(common(self._order, a, b)) for a, b in pairwise(installed)]
        heapq.heapify(self._heap)

    def add_between(self, a: Key, b: Key) -> None:
        """Add the point of `a` and `b`, which are now neighbours in this order."""
        point = common(self._order, a, b)
        if point not in self._forbidden:
            heapq.heappush(self._heap, self._place(point))

    def add_key(self, before: Key, key: Key, after: Key) -> None:
        """Add the point of a new key: the longer of its prefixes with its neighbours.

        A neighbour is NONE if it does not exist. The shorter prefix is that of the neighbours. When a key is
        removed, no new point arises, because the point of its neighbours was one of its own.
        """
        order = self._order
        length, width = -1, order.depth + LENGTH_BITS
        if before:
            length = min(before & LENGTH_MASK, width - (before ^ key).bit_length())
        if after:
            other = width - (key ^ after).bit_length()
            if other > length:
                length = min(other, key & LENGTH_MASK)
        if length < 0:
            return
        shift = order.shifts[length]
        point = key >> shift << shift | length
        if not self._forbidden or point not in self._forbidden:
            self._new.append((LENGTH_MASK - length) << self._rise | point)
            self._sorted = False

    def is_oversized(self, installed: int) -> bool:
        """Whether most points are outdated."""
        return len(self._heap) + len(self._new) + len(self._postponed) > 4 * installed + _SLACK

    def lowest(self) -> Key:
        """The lowest point, the first in order of several; NONE if there is none."""
        if not self._sorted:
            self._sort()
        new, heap = self._new, self._heap
        if new and (not heap or new[-1] <= heap[0]):
            return new[-1] & self._mask
        return heap[0] & self._mask if heap else NONE

    def pop(self, down_to: int) -> Key:
        """Remove and return the lowest point if it has at least `down_to` bits; else return NONE."""
        if not self._sorted:
            self._sort()
        new, heap = self._new, self._heap
        is_new = bool(new) and (not heap or new[-1] <= heap[0])
        if not is_new and not heap:
            return NONE
        point = (new[-1] if is_new else heap[0]) & self._mask
        if point & LENGTH_MASK < down_to:
            return NONE
        if is_new:
            new.pop()
        else:
            heapq.heappop(heap)
        return point

    def push_back(self, point: Key) -> None:
        """Return a popped point to the heap."""
        heapq.heappush(self._heap, self._place(point))

    def forbid(self, point: Key) -> None:
        """Set a popped point aside that may not be merged."""
        self._forbidden.add(point)

    def postpone(self, point: Key) -> None:
        """Postpone a popped point that is within a cover."""
        heapq.heappush(self._postponed, self._place(point))

    def lowest_postponed(self) -> Key:
        """The lowest postponed point; NONE if there is none."""
        return self._postponed[0] & self._mask if self._postponed else NONE

    def drop_postponed(self, forbidden: bool = False) -> None:
        """Remove the lowest postponed point, which is outdated or `forbidden`."""
        point = heapq.heappop(self._postponed) & self._mask
        if forbidden:
            self._forbidden.add(point)

    def forbidden(self) -> list[Key]:
        """The points that may not be merged, the lowest first."""
        return sorted(self._forbidden, key=self._place)

    def reconsider(self, key: Key) -> None:
        """Allow forbidden points again at and above `key`, which lost outputs."""
        if self._forbidden:
            order = self._order
            dz = order.dz(key)
            while dz:
                point = order.key(dz)
                if point in self._forbidden:
                    self._forbidden.discard(point)
                    heapq.heappush(self._heap, self._place(point))
                dz >>= 1

    def reconsider_around(self, cell: Key) -> None:
        """Allow forbidden points again in and above `cell`, where covers now have other exceptions."""
        if self._forbidden:
            order = self._order
            again = [
                point for point in self._forbidden if order.covers(cell, point) or order.covers(point, cell)
            ]
            self._forbidden.difference_update(again)
            for point in again:
                heapq.heappush(self._heap, self._place(point))

    def reconsider_all(self) -> None:
        """Allow all forbidden points again, because trees have changed."""
        for point in self._forbidden:
            heapq.heappush(self._heap, self._place(point))
        self._forbidden.clear()

    def _sort(self) -> None:
        """Sort the new points, or move them to the heap if they are many."""
        new, heap = self._new, self._heap
        if len(new) <= _FEW:
            new.sort(reverse=True)
        else:
            heap += new
            new.clear()
            heapq.heapify(heap)
        self._sorted = True

    def _place(self, point: Key) -> int:
        return (LENGTH_MASK - (point & LENGTH_MASK)) << self._rise | point


def common(order: Order, a: Key, b: Key) -> Key:
    """The longest common prefix of two cells; `a` is before `b` in order."""
    if not (a ^ b) >> order.shifts[a & LENGTH_MASK]:
        return a
    length = order.depth + LENGTH_BITS - (a ^ b).bit_length()
    shift = order.shifts[length]
    return a >> shift << shift | length
