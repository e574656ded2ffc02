"""A sliding window: reliable messages in order over an unreliable channel."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from tercast.federation.messages.peer_messages import Numbered

WINDOW = 32
"""Largest number of messages without an acknowledgement."""

FIRST_RETRY, LAST_RETRY = 0.5, 8.0
"""Seconds until a message is sent again: twice as long each time, up to the second value."""


@dataclass(slots=True)
class _InFlight:
    message: Numbered
    sent: float
    due: float
    pause: float


@dataclass(slots=True)
class SlidingWindow:
    """Both directions of the stream of one session.

    Messages that wait are produced on demand, so a silent neighbour costs at most `WINDOW` messages. Received
    messages that are early wait too, at most `WINDOW`.
    """

    sent: int = 0
    retransmitted: int = 0
    _acknowledged: int = 0
    _received: int = 0
    _flying: dict[int, _InFlight] = field(default_factory=dict)
    _sources: deque[Iterator[Numbered]] = field(default_factory=deque)
    _early: dict[int, Numbered] = field(default_factory=dict)

    @property
    def received(self) -> int:
        """The number up to which everything has arrived; the cumulative acknowledgement."""
        return self._received

    @property
    def in_flight(self) -> int:
        """The number of messages without an acknowledgement."""
        return len(self._flying)

    def add(self, messages: Iterator[Numbered]) -> None:
        """Add messages at the end of the stream; they are taken when the window has space."""
        self._sources.append(messages)

    def due(self, now: float) -> list[tuple[int, Numbered]]:
        """Return the messages to send now, with their numbers: new and unacknowledged ones."""
        out: list[tuple[int, Numbered]] = []
        for number, flying in self._flying.items():
            if flying.due <= now:
                flying.pause = min(2 * flying.pause, LAST_RETRY)
                flying.due = now + flying.pause
                self.retransmitted += 1
                out.append((number, flying.message))
        while len(self._flying) < WINDOW and self._sources:
            message = next(self._sources[0], None)
            if message is None:
                self._sources.popleft()
                continue
            self.sent += 1
            self._flying[self.sent] = _InFlight(message, now, now + FIRST_RETRY, FIRST_RETRY)
            out.append((self.sent, message))
        return out

    def next_due(self) -> float | None:
        """Return the time of the next retransmission; None if nothing is in flight."""
        return min((flying.due for flying in self._flying.values()), default=None)

    def oldest(self) -> float | None:
        """Return when the oldest message without an acknowledgement was sent; None without one."""
        return min((flying.sent for flying in self._flying.values()), default=None)

    def acknowledge(self, number: int) -> list[Numbered]:
        """Take a cumulative acknowledgement; return the messages that it confirms."""
        if number > self.sent:
            return []
        done = [self._flying.pop(i).message for i in range(self._acknowledged + 1, number + 1)]
        self._acknowledged = max(self._acknowledged, number)
        return done

    def receive(self, number: int, message: Numbered) -> list[Numbered]:
        """Take a message; return those that are now in order, none for a repeated one."""
        if not self._received < number <= self._received + WINDOW:
            return []
        self._early[number] = message
        ready: list[Numbered] = []
        while self._received + 1 in self._early:
            self._received += 1
            ready.append(self._early.pop(self._received))
        return ready
