"""The fast way of `tercast.filters.parser` for the commonest filters: tests of numbers, joined by "and".

Its tree is the parser's. Whatever it does not know, and whatever is wrong, is left to the parser.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tercast.filters.number_literals import READERS, NumberRefused
from tercast.filters.syntax_tree import And, Between, Compare, Tree

if TYPE_CHECKING:
    from tercast.eventspace.topic import Topic

BLANKS = " \t\r\n"
NUMBER = r"-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+(?!\.)"  # as long as can be; a word may follow
NAME = r"[A-Za-z_][A-Za-z0-9_-]*+"
OP = r"[=!<>]=|[=<>]"

_TEST = (
    rf"[{BLANKS}]*+({NAME})[{BLANKS}]*+(?:({OP})[{BLANKS}]*+({NUMBER})"
    rf"|[iI][nN][{BLANKS}]*+\[[{BLANKS}]*+({NUMBER})[{BLANKS}]*+,[{BLANKS}]*+({NUMBER})"
    rf"[{BLANKS}]*+([\])]))"
)
QUICK_TEST = re.compile(_TEST)
"""A comparison or a range: its name, operator and number, low and high number, closing bracket."""

_PART = re.compile(rf"{_TEST}[{BLANKS}]*+(?:([aA][nN][dD])(?![A-Za-z0-9_-])|\Z)")


def conjunction(text: str, topic: Topic) -> Tree | None:
    """The tree of comparisons and ranges of numbers joined by "and"; None for all other texts."""
    tests: list[Tree] = []
    at = 0
    more: str | None = ""
    while more is not None:
        part = _PART.match(text, at)
        if part is None:
            return None
        name, op, value, low, high, end, more = part.groups()
        position = topic.positions.get(name)
        if position is None:
            return None
        kind = topic.attributes[position].kind
        if kind not in READERS:
            return None
        read = READERS[kind]
        try:
            if op is None:
                tests.append(Between(position, read(low), read(high), end == "]"))
            else:
                tests.append(Compare(position, "=" if op == "==" else op, read(value)))
        except NumberRefused:
            return None
        at = part.end()
    return tests[0] if len(tests) == 1 else And(tuple(tests))
