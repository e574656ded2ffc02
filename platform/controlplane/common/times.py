"""Times that come in: ISO 8601 with an offset from UTC, and in UTC within the calendar."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime

from tercast.errors import Refused, shown

RULE = "write a time like 2024-05-01T12:00:00Z"


def read_utc(text: str) -> datetime:
    """The time in UTC. Raises `Refused`: `not_a_time`, or `out_of_range` for one that no database holds.

    A time with an offset may lie in the years 1 to 9999 and its UTC not.
    """
    try:
        time = parse_datetime(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise Refused((), "not_a_time", f"{shown(text)} is no time with its offset from UTC; {RULE}.", text)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        detail = f"{shown(text)} lies outside of the years 1 to 9999 in UTC; write a time within them."
        raise Refused((), "out_of_range", detail, text) from None
