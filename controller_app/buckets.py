"""Token buckets: how many messages of one sender are accepted over time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Bucket:
    """A sender's share: it fills with `rate` tokens a second up to `burst`, and each message takes one."""

    rate: float
    burst: float
    left: float
    at: float

    @classmethod
    def full(cls, rate: float, burst: float, now: float) -> Bucket:
        """Return a bucket that holds its burst.

        Args:
            rate: Tokens a second.
            burst: Most tokens.
            now: Seconds on a monotonic clock.
        """
        return cls(rate, burst, burst, now)

    def take(self, now: float) -> bool:
        """Take a token; False where there is none."""
        self.left = min(self.burst, self.left + (now - self.at) * self.rate)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True
