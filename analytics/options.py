"""What a job is asked: one value that every job takes whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from analytics.spans import Span
from analytics.subscriptions import Subscriptions

FUTURE = timedelta(days=1)
"""A row further ahead of the clock than this is rejected."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Where telemetry lies, which part of it counts, and what single jobs want to know.

    `since` is included, `until` is not; both are compared with a row's own time. `window` is in microseconds
    and begins at multiples of itself since 1970. With `spans` (whole windows) results are of windows in them
    alone, and events and copies belong together that are at most `horizon` microseconds apart.
    """

    telemetry: str
    now: datetime
    since: datetime | None = None
    until: datetime | None = None
    window: int = 60_000_000
    subscriptions: Subscriptions | None = None
    depth: int = 8
    threshold: float = 0.9
    last_events: int | None = None
    most: int = 2000
    spans: tuple[Span, ...] | None = None
    horizon: int = 0

    @property
    def latest(self) -> datetime:
        """The latest time that a row may have."""
        return self.now + FUTURE
