"""The pause before a failed attempt is repeated; it grows with each failure."""

import time

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
_MOST_DOUBLINGS = 30


class RetryPause:
    """Counts consecutive failures and doubles the pause, from `first` seconds up to the longest."""

    def __init__(self, first: float = FIRST_PAUSE_S) -> None:
        self._first = first
        self.failures = 0
        self.retry_at = 0.0

    def lengthen(self) -> None:
        """Record a failure; the pause starts now."""
        pause = min(self._first * 2.0 ** min(self.failures, _MOST_DOUBLINGS), LONGEST_PAUSE_S)
        self.retry_at = time.monotonic() + pause
        self.failures += 1

    def end(self) -> None:
        """Make the next attempt due immediately; the number of failures stays the same."""
        self.retry_at = 0.0

    def reset(self) -> None:
        """Record a success."""
        self.failures = 0
