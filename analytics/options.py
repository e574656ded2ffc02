"""Options of a job; every job receives all of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from analytics.spans import Span
from analytics.subscriptions import Subscriptions
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan

DZ_LENGTH = AddressPlan.default("ipv6").dz_room
"""Length of a dz in bits that fits in IPv6 addresses."""

FUTURE = timedelta(days=1)
"""Rows whose time is later than the clock by more than this are rejected."""


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Location of the telemetry, range of its rows, and options of single jobs.

    Attributes:
        since: Start of the range (inclusive), compared with the own time of rows.
        until: End of the range (exclusive).
        window: Microseconds. Windows start at multiples of this since 1970.
        spans: Whole windows. If set, only these windows have results.
        dz_length: Length of a dz in bits, for learned spaces.
        cells: Maximum number of cells of a filter, for learned spaces.
        horizon: Microseconds. With `spans`, events and copies belong together if they are at most this far
    apart.
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
    max_cuts: int = 1024
    dz_length: int = DZ_LENGTH
    cells: int = Limits().max_dz_per_filter
    spans: tuple[Span, ...] | None = None
    horizon: int = 0

    @property
    def latest(self) -> datetime:
        """The latest time that a row may have."""
        return self.now + FUTURE
