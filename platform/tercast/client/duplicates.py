"""Telling an event from its double, with a memory of bounded size."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Numbers:
    """The numbers of one publisher in their order of arrival; `forgotten` is the largest that is gone."""

    numbers: set[int] = field(default_factory=set)
    order: deque[int] = field(default_factory=deque)
    forgotten: int = -1

    def forget_oldest(self) -> None:
        """Forget the number that came first."""
        oldest = self.order.popleft()
        self.numbers.discard(oldest)
        self.forgotten = max(self.forgotten, oldest)


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
        self._known: OrderedDict[Hashable, _Numbers] = OrderedDict()

    def seen(self, publisher: Hashable, seq: int) -> bool:
        """Whether the event was here before; it is from now on."""
        known = self._known.get(publisher)
        if known is None:
            known = self._known[publisher] = _Numbers()
            if len(self._known) > self._publishers:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(publisher)
        if seq in known.numbers:
            return True
        if len(known.order) == self._window:
            known.forget_oldest()
        known.numbers.add(seq)
        known.order.append(seq)
        return False

    def is_forgotten(self, publisher: Hashable, seq: int) -> bool:
        """Whether a number that large is forgotten already, so that a copy cannot be told from an event."""
        known = self._known.get(publisher)
        return known is not None and seq <= known.forgotten and seq not in known.numbers
