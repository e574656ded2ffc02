"""Wall-clock time as the northbound writes it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Now, in ISO 8601 with milliseconds and a Z."""
    return iso(datetime.now(UTC).timestamp())


def iso(seconds: float) -> str:
    """A time in seconds since 1970 in ISO 8601 with milliseconds and a Z."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
