"""String attributes: any text without U+0000, indexed by its first 16 UTF-8 bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Counted
from tercast.eventspace.intervals import IntervalSet, complement

POINT_BYTES = 16
POINTS = 1 << 8 * POINT_BYTES

_SURROGATES = 0xD800
_SURROGATE_COUNT = 0x800
_CHARACTERS = 0x110000 - _SURROGATE_COUNT


@dataclass(frozen=True, slots=True)
class String(Counted):
    """Texts in the order of their UTF-8 bytes; those that share the first 16 share an index, or *point*.

    A cut is a point: what a test holds are the points that a text which it holds may have. A text of 16
    bytes or more shares its point with others, so tests that exclude the text itself keep its point.
    """

    kind: ClassVar[str] = "string"

    def __post_init__(self) -> None:
        self._derive(POINTS, (0, POINTS))

    @property
    def domain_text(self) -> str:
        """In words."""
        return "all texts without U+0000"

    def check(self, value: object, path: Path = ()) -> str:
        """The text itself."""
        if not isinstance(value, str):
            raise self.wrong(value, "a text", path)
        problem = text_problem(value)
        if problem:
            raise Refused(path, "out_of_domain", f"{shown(value)} {problem}", value)
        return str(value)

    def index(self, value: Any) -> int:
        """The point of the text."""
        return point(self.check(value, (self.name,)).encode())

    def key(self, value: Any) -> bytes:
        """The UTF-8 bytes."""
        encoded: bytes = value.encode()
        return encoded

    def literal_problem(self, value: object) -> str | None:
        """Texts that could be values."""
        if not isinstance(value, str):
            return f"is compared with texts, not {shown(value)}"
        problem = text_problem(value)
        return f"is compared with a text that {problem}" if problem else None

    def before(self, value: Any) -> int:
        """The point of the text."""
        return point(value.encode())

    def after(self, value: Any) -> int:
        """The point behind that of the text."""
        return point(value.encode()) + 1

    def compare(self, op: str, value: Any) -> IntervalSet:
        """The points of which `op value` holds, that of `value` itself too where other texts share it."""
        if op == "!=":
            return self.none_of((value,))
        if op in ("<", ">") and shares_point(value):
            op += "="
        return Counted.compare(self, op, value)

    def none_of(self, values: Iterable[Any]) -> IntervalSet:
        """The points of texts that equal none of `values`."""
        return complement(self.one_of(value for value in values if not shares_point(value)), self.domain)

    def beginning_with(self, value: str) -> IntervalSet:
        """The points of texts that begin with `value`."""
        encoded = value.encode()
        last = int.from_bytes(encoded[:POINT_BYTES].ljust(POINT_BYTES, b"\xff"), "big")
        return self.within(point(encoded), last + 1)

    def not_beginning_with(self, value: str) -> IntervalSet:
        """The points of texts that do not begin with `value`: past 16 bytes its own too, and so all."""
        if len(value.encode()) > POINT_BYTES:
            return (self.domain,)
        return complement(self.beginning_with(value), self.domain)

    def to_json(self) -> dict[str, object]:
        """A name and a type."""
        return {"name": self.name, "type": "string"}


def point(encoded: bytes) -> int:
    """The first 16 bytes, padded with zero bytes, as a big-endian integer."""
    return int.from_bytes(encoded[:POINT_BYTES].ljust(POINT_BYTES, b"\0"), "big")


def first_text(at: int) -> str | None:
    """The first text, in the order of UTF-8 bytes, whose point is `at` or above; None when there is none.

    A border between cells is seldom a text: it may be inside a character, or have U+0000 in it.
    """
    data = at.to_bytes(POINT_BYTES, "big").rstrip(b"\0")
    if b"\0" in data:
        data = data[: data.index(0)] + b"\1"
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        whole, rest = data[: error.start].decode(), data[error.start :]
    code = bisect_left(range(_CHARACTERS), rest, key=lambda code: _character(code).encode())
    while code == _CHARACTERS:
        if not whole:
            return None
        whole, code = whole[:-1], _place(whole[-1]) + 1
    return whole + _character(code)


def beginning(at: int) -> str:
    """What the texts of a point and above begin with, in whole characters; … stands for a part of one."""
    data = at.to_bytes(POINT_BYTES, "big").rstrip(b"\0")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start].decode() + "…"


def _character(place: int) -> str:
    """The character at a place in the order of UTF-8 bytes, which has no surrogates."""
    return chr(place if place < _SURROGATES else place + _SURROGATE_COUNT)


def _place(character: str) -> int:
    code = ord(character)
    return code if code < _SURROGATES else code - _SURROGATE_COUNT


def shares_point(text: str) -> bool:
    """Whether other texts have the point of `text`: those that begin with its first 16 bytes."""
    return len(text.encode()) >= POINT_BYTES


def text_problem(value: str) -> str | None:
    """Why `value` is no text that an event can carry; None when it is one."""
    if "\0" in value:
        return "has U+0000 in it"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "has a lone surrogate in it"
    return None
