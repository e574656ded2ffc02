"""Virtual time: actions in the order of their times, identical in every run."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field

ScheduledCall = Callable[[], None]


@dataclass(slots=True)
class VirtualTime:
    """A queue of actions; `after_step` runs after each of them."""

    now: float = 0.0
    steps: int = 0
    after_step: list[ScheduledCall] = field(default_factory=list)
    _queue: list[tuple[float, int, ScheduledCall]] = field(default_factory=list)
    _order: int = 0

    def at(self, time: float, action: ScheduledCall) -> None:
        """Run an action at a time; actions of the same time run in the order of these calls."""
        self._order += 1
        heapq.heappush(self._queue, (max(time, self.now), self._order, action))

    def after(self, pause: float, action: ScheduledCall) -> None:
        """Run an action after a pause."""
        self.at(self.now + pause, action)

    def run_until(self, time: float) -> None:
        """Run all actions up to a time, which is the current time afterwards."""
        while self._queue and self._queue[0][0] <= time:
            self.now, _, action = heapq.heappop(self._queue)
            action()
            self.steps += 1
            for watch in self.after_step:
                watch()
        self.now = time
