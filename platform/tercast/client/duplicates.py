"""Detection of duplicate events with bounded memory."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Numbers:
    """The numbers of one publisher in order of arrival; `forgotten`: the largest removed one."""

    numbers: set[int] = field(default_factory=set)
    order: deque[int] = field(default_factory=deque)
    forgotten: int = -1

    def forget_oldest(self) -> None:
        """Remove the number that arrived first."""
        oldest = self.order.popleft()
        self.numbers.discard(oldest)
        self.forgotten = max(self.forgotten, oldest)


class SeenEvents:
    """Memory of the last `window` sequence numbers of each of the last `publishers` publishers.

    A duplicate is detected if fewer than `window` other events of its publisher arrived since the first copy,
    and fewer than `publishers` other publishers since the last event of its own. Later copies count as new,
    because a publisher whose clock was set back looks the same. Numbers are stored individually, in any
    order, so gaps (events that only other hosts receive) and late events do no harm. The memory is at most
    `window` times `publishers` numbers of about 110 bytes. A busy publisher does not reduce the memory of a
    quiet one.
    """

    def __init__(self, window: int = 4096, publishers: int = 1024) -> None:
        if window < 1 or publishers < 1:
            raise ValueError("window and publishers must be at least 1")
        self._window, self._publishers = window, publishers
        self._known: OrderedDict[Hashable, _Numbers] = OrderedDict()

    def seen(self, publisher: Hashable, seq: int) -> bool:
        """Whether the event was seen before; it is recorded as seen."""
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
        """Whether a number may have been removed, so that a copy looks like a new event."""
        known = self._known.get(publisher)
        return known is not None and seq <= known.forgotten and seq not in known.numbers
