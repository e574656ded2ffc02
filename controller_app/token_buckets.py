"""Token buckets: rate limits for the messages of senders."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True)
class Bucket:
    """Tokens of a sender: `rate` are added per second up to `burst`, and each message takes one."""

    rate: float
    burst: float
    left: float
    at: float

    @classmethod
    def full(cls, rate: float, burst: float, now: float) -> Bucket:
        """Return a full bucket.

        Args:
            rate: Tokens per second.
            burst: Highest number of tokens.
            now: Seconds on a monotonic clock.
        """
        return cls(rate, burst, burst, now)

    def take(self, now: float) -> bool:
        """Take a token; return False if there is none."""
        self.left = min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


class Buckets(Generic[Key]):
    """A bucket for each sender, full at the first message."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: dict[Key, Bucket] = {}

    def take(self, sender: Key) -> bool:
        """Take a token of a sender; return False if there is none."""
        now = self._clock()
        bucket = self._buckets.get(sender)
        if bucket is None:
            bucket = self._buckets[sender] = Bucket.full(self._rate, self._burst, now)
        return bucket.take(now)

    def forget(self, sender: Key) -> None:
        """Forget a sender that no longer exists."""
        self._buckets.pop(sender, None)
