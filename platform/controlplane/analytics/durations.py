"""Lengths of time as schedules write them."""

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
    """The microseconds of a text like "1 minute" or "6 hours"; ValueError."""
    found = _LENGTH.fullmatch(text)
    unit = UNITS.get(found[2]) if found else None
    if found is None or unit is None:
        raise ValueError(f'{text!r} is no length of time, like "1 minute"; units are {", ".join(UNITS)}.')
    length = int(found[1]) * unit
    if not SHORTEST <= length <= LONGEST:
        raise ValueError(f"{text!r} is not from 1 second to 4 weeks.")
    return length


def length_text(length: int) -> str:
    """A length of whole seconds as `parse_length` reads it, in the largest unit that fits."""
    for name, size in reversed(UNITS.items()):
        if length % size == 0:
            number = length // size
            return f"{number} {name}{'s' if number > 1 else ''}"
    raise ValueError(f"{length} microseconds are no whole seconds")
