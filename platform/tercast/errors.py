"""Errors of the core library: each has a path, a value, and one line with rule and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

Path = tuple[str | int, ...]

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_SHOWN = 60


class TercastError(Exception):
    """Root of all errors that this package raises deliberately."""


class Refused(TercastError):  # noqa: N818 - named by meaning
    """One invalid input: its place, its kind, and the rule that it breaks.

    `path` is the place as keys and indexes. `code` is a snake_case kind for programs. `detail` is one line
    for users (value, rule, remedy). `value` is the invalid value.
    """

    def __init__(self, path: Iterable[str | int], code: str, detail: str, value: object = None) -> None:
        self.path: Path = tuple(path)
        self.code = code
        self.detail = detail
        self.value = value
        super().__init__(self.path, code, detail, value)

    def __str__(self) -> str:
        where = format_path(self.path)
        return f"{where}: {self.detail}" if where else self.detail

    def under(self, *prefix: str | int) -> Refused:
        """Return the same error with `prefix` in front of its path."""
        return type(self)((*prefix, *self.path), self.code, self.detail, self.value)


class SyntaxRefused(Refused):
    """A text with an error at one position.

    `offset` is the number of characters before the error. `length` is the number of characters in error, 0 at
    the end of the text. `expected` describes what the parser accepts there; None if the syntax is correct but
    the value is invalid.
    """

    def __init__(  # noqa: PLR0917 - the parameters of `Refused`, in its order
        self,
        path: Iterable[str | int],
        code: str,
        detail: str,
        value: object = None,
        offset: int = 0,
        length: int = 0,
        expected: str | None = None,
    ) -> None:
        super().__init__(path, code, detail, value)
        self.offset, self.length, self.expected = offset, length, expected

    def under(self, *prefix: str | int) -> SyntaxRefused:
        """Return the same error with `prefix` in front of its path."""
        path = (*prefix, *self.path)
        return SyntaxRefused(
            path, self.code, self.detail, self.value, self.offset, self.length, self.expected
        )


class RefusedMany(TercastError):  # noqa: N818 - named by meaning
    """Several invalid inputs of one document, in the order in which they were found."""

    def __init__(self, errors: Iterable[Refused]) -> None:
        self.errors: tuple[Refused, ...] = tuple(errors)
        if not self.errors:
            raise ValueError("RefusedMany needs at least one error")
        super().__init__(self.errors)

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)

    def under(self, *prefix: str | int) -> RefusedMany:
        """Return the same errors, each with `prefix` in front of its path."""
        return RefusedMany(error.under(*prefix) for error in self.errors)


def format_path(path: Iterable[str | int]) -> str:
    """Format a path as `topology.links[3].b`; other keys are in brackets and quotes."""
    out = ""
    for step in path:
        if isinstance(step, int):
            out += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            out += f".{step}" if out else step
        else:
            out += f"[{shown(step)}]"
    return out


def shown(value: object) -> str:
    """Format `value` for a message: one line, printable, limited in length; never raises."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) >= 1 << 200:
            return f"an integer of {value.bit_length()} bits"
        case str():
            cut = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
            return '"' + "".join(map(_printable, cut)) + '"'
        case int() | float():
            return repr(value)
        case Decimal():
            digits = str(value).lower()
            return digits if len(digits) <= _SHOWN else digits[:_SHOWN] + "..."
        case dict():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return f"a value of type {type(value).__name__}"


def _printable(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else ascii(char)[1:-1]
