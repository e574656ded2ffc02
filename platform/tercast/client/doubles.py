"""Telling an event from its double, with a memory of bounded size."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable


class SeenEvents:
    """Remembers the last `window` sequence numbers of each of the last `publishers` publishers heard.

    A double is found while fewer than `window` other events of its publisher came since the first copy, and
    fewer than `publishers` other publishers since the last of its own. What comes later counts as new, since
    a publisher whose clock was set back looks the same. Numbers are remembered as they are, in whatever order
    they came: gaps (events that others wanted) and late events do no harm. The memory is at most `window`
    times `publishers` numbers, some 110 bytes each; a chatty publisher takes nothing from a quiet one.
    """

    def __init__(self, window: int = 4096, publishers: int = 1024) -> None:
        if window < 1 or publishers < 1:
            raise ValueError("the memory for doubles holds at least one event of one publisher")
        self._window, self._publishers = window, publishers
        self._known: OrderedDict[Hashable, tuple[set[int], deque[int]]] = OrderedDict()

    def seen(self, publisher: Hashable, seq: int) -> bool:
        """Whether the event was here before; it is from now on."""
        known = self._known.get(publisher)
        if known is None:
            known = self._known[publisher] = (set(), deque())
            if len(self._known) > self._publishers:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(publisher)
        numbers, order = known
        if seq in numbers:
            return True
        if len(order) == self._window:
            numbers.discard(order.popleft())
        numbers.add(seq)
        order.append(seq)
        return False
