"""Numbers in filters: exact for integer attributes, the nearest double for real attributes.

A value of a float attribute is a double, so a literal that is compared with it is read as a double too. In
`x = 0.1`, both sides are the double nearest to 0.1. An integer attribute has no such rounding: its literals
keep the rational number that the text denotes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from tercast.errors import shown
from tercast.runtime.strict_json import MAX_INTEGER_DIGITS

Number: TypeAlias = int | float | Decimal
"""A double represents itself. A decimal is a literal that no double represents exactly."""

MAX_EXPONENT = 1000
"""Smallest decimal exponent, negated; smaller numbers make exact arithmetic slow."""

_EXACT_CHARACTERS = 16
"""Such a text without an exponent has at most 15 digits, which a double represents."""


class NumberRefused(ValueError):  # noqa: N818 - named by meaning
    """A text in the form of a number that is out of bounds: a code, and one line for users."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


def read_exact(word: str) -> Number:
    """The number that `word` denotes.

    Args:
        word: A text in the form of a number: digits, with a sign, a point or an exponent.

    Returns:
        An integer for digits alone. Otherwise a double, if its shortest text is the same number and no
        integer is between the two. Otherwise a decimal.

    Raises:
        NumberRefused: The text is too long, or the number is too large for a double or too close to 0.
    """
    if len(word) <= _EXACT_CHARACTERS and "e" not in word and "E" not in word:
        return float(word) if "." in word else int(word)
    whole = _integer(word)
    return _exact(word, float(word)) if whole is None else whole


def read_nearest(word: str) -> Number:
    """The number that a real is compared with: an exact integer, or the nearest double.

    Args:
        word: A text in the form of a number.

    Returns:
        An integer for digits alone, else the nearest double. A number so close to 0 that its nearest double
        is 0 stays a decimal, so that it still differs from 0.

    Raises:
        NumberRefused: As for `read_exact`.
    """
    whole = None if "." in word and len(word) <= MAX_INTEGER_DIGITS else _integer(word)
    if whole is not None:
        return whole
    value = float(word)
    if value and -math.inf < value < math.inf:
        return value
    return _exact(word, value)


READERS: Mapping[str, Callable[[str], Number]] = {"int": read_exact, "float": read_nearest}
"""Readers of number literals, by the type of the attribute."""


def number_text(value: Number) -> str:
    """The canonical text of a number; it parses to an equal number."""
    return str(value).lower() if isinstance(value, Decimal) else repr(value)


def _integer(word: str) -> int | None:
    """The integer that digits alone denote; None for other numbers, Refused if too long."""
    if len(word) > MAX_INTEGER_DIGITS:
        detail = f"the number has {len(word)} characters; at most {MAX_INTEGER_DIGITS} are allowed"
        raise NumberRefused("number_too_long", detail)
    return int(word) if word.lstrip("-").isdecimal() else None


def _exact(word: str, value: float) -> Number:
    """Return `value`, the double nearest to `word`, or the decimal of `word` if the two differ."""
    if math.isinf(value):
        detail = (
            f"{shown(word)} is larger than the largest floating-point number (1.8e308); write a smaller "
            "number, or an integer in digits only"
        )
        raise NumberRefused("number_too_large", detail)
    try:
        exact = Decimal(word)
    except InvalidOperation:  # the exponent has more digits than a decimal holds
        if word.lower().partition("e")[0].strip("-0.") == "":
            return value
        raise _too_small(word) from None
    if not exact:
        return value
    if exact.adjusted() < -MAX_EXPONENT:
        raise _too_small(word)
    same = exact == Decimal(repr(value)) and (exact == value or not value.is_integer())
    return value if same else exact


def _too_small(word: str) -> NumberRefused:
    detail = f"{shown(word)} is too close to 0; write 0, or a number of at least 1e-{MAX_EXPONENT}"
    return NumberRefused("number_too_small", detail)
