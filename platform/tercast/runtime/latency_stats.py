"""Statistics of the time that requests take."""

from __future__ import annotations

from math import ceil


class Timing:
    """Times of single requests, and the table changes that they caused."""

    __slots__ = ("_changes", "_seconds")

    def __init__(self) -> None:
        self._seconds: list[float] = []
        self._changes = 0

    def record_request(self, seconds: float, changes: int) -> None:
        """Record one request: its time in seconds, and the number of changed entries."""
        self._seconds.append(seconds)
        self._changes += changes

    def to_json(self) -> dict[str, object]:
        """Return the number of requests, total seconds, median and 99th percentile in microseconds."""
        return {
            "requests": len(self._seconds),
            "seconds": round(sum(self._seconds), 6),
            "p50_us": self._percentile(50),
            "p99_us": self._percentile(99),
            "changes": self._changes,
        }

    def _percentile(self, percent: int) -> float:
        """Return the smallest time that `percent` of the requests do not exceed, in microseconds."""
        if not self._seconds:
            return 0.0
        rank = max(1, ceil(len(self._seconds) * percent / 100))
        return round(sorted(self._seconds)[rank - 1] * 1e6, 1)
