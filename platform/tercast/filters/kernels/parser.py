"""Compiled version of `tercast.filters.parser` for ranges of integer attributes.

The kernel reads only tests of integer attributes with integers, joined by "and". The parser handles all other
filters, those with errors, and those that match nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

TextBytes = NDArray[np.uint8]

MAX_DIGITS = 17
"""Longer integers are left to the parser, because they may exceed 64 bits."""

ALL, FACTOR, STOPPED, NOTHING = range(4)
"""Reasons of `read_tests` to stop."""

_BLANK = np.zeros(256, np.bool_)
_BLANK[[ord(c) for c in " \t\r\n"]] = True
_WORD = np.zeros(256, np.bool_)
_WORD[[ord(c) for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"]] = True


class Names(NamedTuple):
    """The attributes of a topic.

    `text`: all names end to end. `starts`: the position of each name, and the end of the last one. `low`,
    `high`: the domains; an empty domain marks an attribute that the kernel does not handle.
    """

    text: Ints
    starts: Ints
    low: Ints
    high: Ints


@compile_kernel
def read_ranges(text: TextBytes, names: Names, low: Ints, high: Ints) -> bool:
    """Set `low` and `high` to the ranges of a filter; False if the parser must read it."""
    low[:] = names.low
    high[:] = names.high
    return read_tests(text, 0, names, low, high)[1] == ALL


@compile_kernel
def read_tests(text: TextBytes, at: int, names: Names, low: Ints, high: Ints) -> tuple[int, int]:
    """Narrow `low` and `high` by the tests from `at` on that are joined by "and".

    Returns:
        A position and the reason to stop there: at the end (`ALL`), before a factor that the parser must read
        (`FACTOR`), after a test without "and" (`STOPPED`), or at a test that nothing passes (`NOTHING`).
    """
    size = text.size
    while True:
        begin = at
        start = _blanks(text, at)
        at = start
        while at < size and _WORD[text[at]]:
            at += 1
        a = _named(text, start, at, names)
        if a < 0 or names.low[a] > names.high[a]:
            return begin, FACTOR
        at = _test(text, _blanks(text, at), a, low, high)
        if at < 0:
            return begin, FACTOR
        if low[a] > high[a]:
            return begin, NOTHING
        at = _blanks(text, at)
        if at == size:
            return at, ALL
        if not _word(text, at, b"and") or (at + 3 < size and _WORD[text[at + 3]]):
            return at, STOPPED
        at += 3


@compile_kernel
def _test(text: TextBytes, at: int, a: int, low: Ints, high: Ints) -> int:
    """Narrow the range of an attribute by the test at `at`; return the end of the test, or -1."""
    if _word(text, at, b"in"):
        return _range(text, at + 2, a, low, high)
    if at + 1 >= text.size:
        return -1
    sign, equal = text[at], text[at + 1] == 61
    if sign not in (60, 61, 62):  # < = >
        return -1
    at, value, good = _number(text, _blanks(text, at + 1 + equal))
    if not good:
        return -1
    if sign == 61 or (sign == 60 and equal):
        high[a] = min(high[a], value)
    elif sign == 60:
        high[a] = min(high[a], value - 1)
    if sign == 61 or (sign == 62 and equal):
        low[a] = max(low[a], value)
    elif sign == 62:
        low[a] = max(low[a], value + 1)
    return at


@compile_kernel
def _range(text: TextBytes, at: int, a: int, low: Ints, high: Ints) -> int:
    """Narrow the range by `[first, last]` or `[first, last)`; return the end of the test, or -1."""
    size = text.size
    at = _blanks(text, at)
    if at == size or text[at] != 91:  # [
        return -1
    at, first, good = _number(text, _blanks(text, at + 1))
    at = _blanks(text, at)
    if not good or at == size or text[at] != 44:  # ,
        return -1
    at, last, good = _number(text, _blanks(text, at + 1))
    at = _blanks(text, at)
    if not good or at == size or text[at] not in (41, 93):  # ) ]
        return -1
    low[a] = max(low[a], first)
    high[a] = min(high[a], last if text[at] == 93 else last - 1)
    return at + 1


@compile_kernel
def _number(text: TextBytes, at: int) -> tuple[int, int, bool]:
    """Read the integer at `at`: its end, its value, and whether the kernel can read it."""
    size = text.size
    negative = at < size and text[at] == 45
    at += negative
    start = at
    value = 0
    while at < size and 48 <= text[at] <= 57:
        if at - start == MAX_DIGITS:
            return at, 0, False
        value = 10 * value + int(text[at]) - 48
        at += 1
    other = at < size and (text[at] == 46 or text[at] == 69 or text[at] == 101)  # . E e
    return at, -value if negative else value, at > start and not other


@compile_kernel
def _named(text: TextBytes, start: int, stop: int, names: Names) -> int:
    """The attribute with this name; -1 if there is none."""
    for a in range(names.starts.size - 1):
        begin = names.starts[a]
        if names.starts[a + 1] - begin != stop - start:
            continue
        same = True
        for i in range(stop - start):
            if names.text[begin + i] != text[start + i]:
                same = False
                break
        if same:
            return a
    return -1


@compile_kernel
def _word(text: TextBytes, at: int, word: bytes) -> bool:
    """Whether the text at `at` is this lower-case word, in any letter case."""
    if at + len(word) > text.size:
        return False
    for i in range(len(word)):  # noqa: SIM110 - compiled, this is the quick way
        if text[at + i] | 32 != word[i]:
            return False
    return True


@compile_kernel
def _blanks(text: TextBytes, at: int) -> int:
    """The position of the first character from `at` on that is not a blank."""
    while at < text.size and _BLANK[text[at]]:
        at += 1
    return at
