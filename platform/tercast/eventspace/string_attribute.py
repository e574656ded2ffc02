"""String attributes: any text without U+0000, indexed by its first 16 UTF-8 bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Counted
from tercast.eventspace.intervals import IntervalSet, complement
from tercast.eventspace.section import Place

POINT_BYTES = 16
POINTS = 1 << 8 * POINT_BYTES

_SURROGATES = 0xD800
_SURROGATE_COUNT = 0x800
_CHARACTERS = 0x110000 - _SURROGATE_COUNT


@dataclass(frozen=True, slots=True)
class String(Counted):
    """Texts in the order of their UTF-8 bytes; the index of a text is its *point*.

    Texts with the same first 16 bytes share a point. A cut is a point. A test contains the points of all
    texts that pass it. A text of 16 bytes or more shares its point with other texts, so a test that excludes
    the text still contains its point.
    """

    kind: ClassVar[str] = "string"

    def __post_init__(self) -> None:
        self._derive(POINTS, (0, POINTS))

    @property
    def domain_text(self) -> str:
        """A description of the domain."""
        return "all texts without U+0000"

    def check(self, value: object, path: Path = ()) -> str:
        """Return the text if events can carry it."""
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
        """The UTF-8 bytes of the text."""
        encoded: bytes = value.encode()
        return encoded

    def literal_problem(self, value: object) -> str | None:
        """Accept the texts that events can carry."""
        if not isinstance(value, str):
            return f"must be compared with a text, not {shown(value)}"
        problem = text_problem(value)
        return f"cannot be compared with {shown(value)}: the text {problem}" if problem else None

    def before(self, value: Any) -> int:
        """The point of the text."""
        return point(value.encode())

    def after(self, value: Any) -> int:
        """The point after the point of the text."""
        return point(value.encode()) + 1

    def compare(self, op: str, value: Any) -> IntervalSet:
        """The points for which `op value` is true, and the point of `value` if other texts share it."""
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
        """The points of texts that do not begin with `value`: all points if it exceeds 16 bytes."""
        if len(value.encode()) > POINT_BYTES:
            return (self.domain,)
        return complement(self.beginning_with(value), self.domain)

    def snapped(self, place: Place) -> int:
        """The point of the first text at or after a point."""
        text = first_text(int(place)) if place < POINTS else None
        return POINTS if text is None else point(text.encode())

    def value_at(self, place: Place) -> str | None:
        """The first text at or after the point; None if there is none."""
        return first_text(int(place))

    def to_json(self) -> dict[str, object]:
        """Write name and type."""
        return {"name": self.name, "type": "string"}


def point(encoded: bytes) -> int:
    """The first 16 bytes, padded with zero bytes, as a big-endian integer."""
    return int.from_bytes(encoded[:POINT_BYTES].ljust(POINT_BYTES, b"\0"), "big")


def first_text(at: int) -> str | None:
    """The first text whose point is at least `at`, in the order of UTF-8 bytes; None if none is.

    A border between cells is rarely a valid text: it may cut a character, or contain U+0000.
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
    """The beginning of the texts from a point on, in whole characters; … replaces a cut one."""
    data = at.to_bytes(POINT_BYTES, "big").rstrip(b"\0")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start].decode() + "…"


def _character(place: int) -> str:
    """The character at a position in the order of UTF-8 bytes, which excludes surrogates."""
    return chr(place if place < _SURROGATES else place + _SURROGATE_COUNT)


def _place(character: str) -> int:
    code = ord(character)
    return code if code < _SURROGATES else code - _SURROGATE_COUNT


def shares_point(text: str) -> bool:
    """Whether other texts have the point of `text`: those that begin with its first 16 bytes."""
    return len(text.encode()) >= POINT_BYTES


def text_problem(value: str) -> str | None:
    """The reason why an event cannot carry the text `value`; None if it can."""
    if "\0" in value:
        return "contains the character U+0000"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "contains an incomplete Unicode character (half a surrogate pair)"
    return None
