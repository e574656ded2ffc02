"""Lengths of time as written in schedules."""

import re

UNITS = {
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
SHORTEST, LONGEST = UNITS["second"], 4 * UNITS["week"]
_LENGTH = re.compile(r"([1-9][0-9]{0,5}) ([a-z]+?)s?")


def parse_length(text: str) -> int:
    """Return the microseconds of a text such as "1 minute" or "6 hours".

    Raises:
        ValueError: The text has another form, or the length is out of range.
    """
    found = _LENGTH.fullmatch(text)
    unit = UNITS.get(found[2]) if found else None
    if found is None or unit is None:
        raise ValueError(
            f'{text!r} is not a length of time such as "1 minute"; units are {", ".join(UNITS)}.'
        )
    length = int(found[1]) * unit
    if not SHORTEST <= length <= LONGEST:
        raise ValueError(f"{text!r} is out of range; use 1 second to 4 weeks.")
    return length


def length_text(length: int) -> str:
    """Return a length of whole seconds as text for `parse_length`, in the largest possible unit."""
    for name, size in reversed(UNITS.items()):
        if length % size == 0:
            number = length // size
            return f"{number} {name}{'s' if number > 1 else ''}"
    raise ValueError(f"{length} microseconds are not a whole number of seconds")
