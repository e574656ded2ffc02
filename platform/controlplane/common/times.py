"""Input times: ISO 8601 with an offset from UTC, converted to UTC within the calendar."""

from datetime import UTC, datetime

from django.utils.dateparse import parse_datetime

from tercast.errors import Refused, shown

RULE = "use a time such as 2024-05-01T12:00:00Z"


def read_utc(text: str) -> datetime:
    """Return the time in UTC.

    A time with an offset may be in the years 1 to 9999 while its UTC is not.

    Raises:
        Refused: `not_a_time`, or `out_of_range` for a time that databases cannot store.
    """
    try:
        time = parse_datetime(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise Refused((), "not_a_time", f"{shown(text)} is not a time with a UTC offset; {RULE}.", text)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        detail = f"{shown(text)} is outside the years 1 to 9999 in UTC; use a time in these years."
        raise Refused((), "out_of_range", detail, text) from None
