"""Counted cells of one host, and the widest of them, which are all that others need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tercast.routing.cell_keys import LENGTH_MASK, Key, Order, SortedKeys

CellsChange = tuple[Sequence[Key], Sequence[Key]]
"""Tops that were added and tops that were removed."""

NO_CHANGE: CellsChange = ((), ())


class CellCounts:
    """A multiset of cells, with its *tops*: the members that no other member covers.

    Covered members are stored under the top that hides them, so that a withdrawal makes them tops again.
    Adding a member costs only a search among the tops.
    """

    __slots__ = ("_counts", "_hidden", "_order", "_shifts", "tops")

    def __init__(self, order: Order) -> None:
        self._order = order
        self._shifts = order.shifts
        self._counts: dict[Key, int] = {}
        self._hidden: dict[Key, set[Key]] = {}
        self.tops = SortedKeys()

    def __bool__(self) -> bool:
        return bool(self._counts)

    def __contains__(self, key: Key) -> bool:
        return key in self._counts

    def __iter__(self) -> Iterator[Key]:
        return iter(self._counts)

    def add(self, key: Key) -> CellsChange:
        """Increase the count of `key`; return the added and removed tops."""
        counts = self._counts
        count = counts.get(key)
        if count is not None:
            counts[key] = count + 1
            return NO_CHANGE
        counts[key] = 1
        top = self.tops.floor(key)
        if top and not (key ^ top) >> self._shifts[top & LENGTH_MASK]:
            hidden = self._hidden.get(top)
            if hidden is None:
                self._hidden[top] = {key}
            else:
                hidden.add(key)
            return NO_CHANGE
        return (key,), self._hide_below(key)

    def remove(self, key: Key) -> CellsChange:
        """Decrease the count of `key`, which must be a member; return the added and removed tops."""
        count = self._counts[key]
        if count > 1:
            self._counts[key] = count - 1
            return NO_CHANGE
        del self._counts[key]
        top = self.tops.floor(key)
        if top != key:
            hidden = self._hidden[top]
            hidden.discard(key)
            if not hidden:
                del self._hidden[top]
            return NO_CHANGE
        self.tops.remove(key)
        return self._uncover(self._hidden.pop(key, ())), [key]

    def add_all(self, keys: Iterable[Key]) -> CellsChange:
        """Increase the counts of disjoint cells; return the added and removed tops."""
        came: Sequence[Key] = ()
        went: Sequence[Key] = ()
        for key in keys:
            change = self.add(key)
            if change is not NO_CHANGE:
                came = (*came, *change[0]) if came else change[0]
                went = (*went, *change[1]) if went else change[1]
        return came, went

    def remove_all(self, keys: Iterable[Key]) -> CellsChange:
        """Decrease the counts of disjoint members; return the added and removed tops."""
        came: Sequence[Key] = ()
        went: Sequence[Key] = ()
        for key in keys:
            change = self.remove(key)
            if change is not NO_CHANGE:
                came = (*came, *change[0]) if came else change[0]
                went = (*went, *change[1]) if went else change[1]
        return came, went

    def covering(self, key: Key) -> Key:
        """Return the top that covers `key`, or NONE."""
        top = self.tops.floor(key)
        return top if top and not (key ^ top) >> self._shifts[top & LENGTH_MASK] else 0

    def below(self, key: Key) -> list[Key]:
        """Return the tops that `key` covers."""
        return self.tops.range(key, self._order.end(key))

    def overlaps(self, key: Key) -> bool:
        """Whether `key` overlaps a member."""
        return bool(self.covering(key)) or self.tops.ceil(key) < self._order.end(key)

    def _hide_below(self, key: Key) -> Sequence[Key]:
        """Make `key`, which no top covers, a top; return the tops that it hides."""
        _, after = self.tops.add(key)
        if (key ^ after) >> self._shifts[key & LENGTH_MASK]:
            return ()
        below = self.tops.range(key + 1, self._order.end(key))
        hidden = set(below)
        for top in below:
            self.tops.remove(top)
            hidden |= self._hidden.pop(top, set())
        self._hidden[key] = hidden
        return below

    def _uncover(self, hidden: Iterable[Key]) -> list[Key]:
        """Make hidden cells tops; depth-first order has a cell before those that it covers."""
        tops: list[Key] = []
        for key in sorted(hidden):
            if tops and self._order.covers(tops[-1], key):
                self._hidden.setdefault(tops[-1], set()).add(key)
            else:
                tops.append(key)
                self.tops.add(key)
        return tops
