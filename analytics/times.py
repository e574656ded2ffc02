"""Times and lengths of time in options and files, converted to microseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)

_UNITS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_LENGTH = re.compile(r"\s*([0-9]{1,12})\s*([a-z]+?)s?\s*", re.IGNORECASE)
_LONGEST = 366 * _UNITS["day"]


def parse_time(text: str) -> datetime:
    """Return the time of an ISO 8601 text in UTC; without a time zone, the text is in UTC.

    Raises:
        ValueError: It has another form.
    """
    try:
        time = datetime.fromisoformat(text)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} is not an ISO 8601 time, like 2026-01-31T12:00:00Z") from None


def parse_length(text: str) -> int:
    """Return the microseconds of a length of time like "1 minute" or "90 seconds".

    Raises:
        ValueError: It has another form, or is longer than a year.
    """
    found = _LENGTH.fullmatch(text)
    unit = _UNITS.get(found[2].lower()) if found else None
    if found is None or unit is None:
        raise ValueError(f'{text!r} is not a length of time, like "1 minute"; units are {", ".join(_UNITS)}')
    length = int(found[1]) * unit
    if not 0 < length <= _LONGEST:
        raise ValueError(f"{text!r} cannot be a window; use more than 0 and at most 366 days")
    return length


def micros(time: datetime) -> int:
    """Return the microseconds since 1970 of a time with a time zone."""
    return (time - EPOCH) // MICROSECOND


def time_text(time: datetime) -> str:
    """Format a time as ISO 8601 in UTC, with a "Z".

    Raises:
        ValueError: The time has no zone, so the moment that it names depends on the machine.
    """
    if time.tzinfo is None:
        raise ValueError(f"{time.isoformat()} has no time zone; pass a time with its zone")
    return time.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"
