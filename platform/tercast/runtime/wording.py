"""Words of messages that depend on a number, percentages, and truncated texts."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Collection, Iterable
from itertools import islice

from tercast.errors import shown

_CONTINUATION = bytes(range(0x80, 0xC0))


def quantity(number: int, one: str, many: str | None = None) -> str:
    """Return the number with its noun: "1 edge", "2 edges".

    Args:
        number: The number of objects.
        one: The noun for 1, optionally with a verb ("edge is").
        many: The words for every other number; by default `one` with an s.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def first_of(
    names: Iterable[str], most: int = 20, separator: str = ", ", show: Callable[[str], str] = str
) -> str:
    """Return the first names as a list: "a, b and 7 more".

    Args:
        names: All names.
        most: Largest number of names in the list.
        separator: Text between two names.
        show: Function that formats a name of the list.
    """
    every = names if isinstance(names, Collection) else list(names)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return separator.join(map(show, islice(every, most))) + more


def unknown_name(noun: str, name: object, known: Collection[str]) -> str:
    """Return the text of an error about an unknown name, with the first known names.

    Args:
        noun: Kind of the named object.
        name: The unknown name.
        known: All names that exist.
    """
    names = first_of(known, 10, show=lambda each: shown(each)[1:-1])
    remedy = f"use one of {names}" if known else f"no {noun} exists"
    return f"unknown {noun} {shown(name)}; {remedy}"


def one_line(value: object) -> str:
    """Return a JSON value as one line: "3, 5", "first: 3; second: none"."""
    if isinstance(value, dict):
        return "; ".join(f"{name}: {one_line(one)}" for name, one in value.items())
    return (", ".join(map(one_line, value)) or "none") if isinstance(value, list) else str(value)


def percent(share: float, error: float = 0.0) -> str:
    """Return a share as percent: "7.5 %", or "≈ 7.5 % (± 0.2 %)" for an estimate.

    Args:
        share: A share that is not negative; 1 is 100 %.
        error: Half the width of the interval of an estimate, in the unit of `share`; 0: the share is exact.
    """
    value = _percent(share)
    return f"≈ {value} (± {_percent(error)})" if error else value


def _percent(share: float) -> str:
    """Return a percentage with two significant digits or more; large ones as a limit."""
    value = share * 100
    if value >= 1e9:
        return "over 10⁹ %"
    return f"{value:,.{0 if value >= 100 else 1}f} %" if value >= 1 else f"{value:.2g} %"


def whole_characters(data: bytes) -> str:
    """Decode bytes that were cut at any offset; incomplete characters at both ends are left out.

    Other bytes that are not UTF-8 become U+FFFD.
    """
    return getincrementaldecoder("utf-8")("replace").decode(data.lstrip(_CONTINUATION))
