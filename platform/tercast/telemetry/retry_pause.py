"""The pause before a failed hand-over is tried again; it grows with each failure."""

import time

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
_MOST_DOUBLINGS = 30


class RetryPause:
    """Count failures in a row and say when to try again: after `first` seconds, then after twice as long."""

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
        """Let the next attempt be due immediately; the number of failures stays."""
        self.retry_at = 0.0

    def reset(self) -> None:
        """Record a success."""
        self.failures = 0
