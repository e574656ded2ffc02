"""String attributes: any text without U+0000, indexed by its first 16 UTF-8 bytes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tercast.attributes import Attribute
from tercast.errors import Path, Refused, shown
from tercast.intervals import Interval, IntervalSet

POINT_BYTES = 16
POINTS = 1 << 8 * POINT_BYTES

_END = b"\xff"  # behind every text: UTF-8 never has this byte


@dataclass(frozen=True, slots=True)
class String(Attribute):
    """Texts in the order of their UTF-8 bytes.

    A cut is one of three forms of byte string: v (before v), v + 00 (after v: no text has a zero byte), v +
    ff (after all that begin with v). Texts that share their first 16 bytes share an index, or *point*.
    """

    kind: ClassVar[str] = "string"

    def __post_init__(self) -> None:
        self._derive(POINTS, (b"", _END))

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

    def before(self, value: Any) -> bytes:
        """Before the text."""
        encoded: bytes = value.encode()
        return encoded

    def after(self, value: Any) -> bytes:
        """After the text and before all longer ones that begin with it."""
        encoded: bytes = value.encode()
        return encoded + b"\0"

    def beginning_with(self, value: str) -> IntervalSet:
        """All texts that begin with `value`."""
        encoded = value.encode()
        low = encoded
        if len(encoded) == POINT_BYTES:
            # Behind all that begin with the text before: no text lies between, but this cut keeps
            # the complement off the point, which holds nothing else here; the cut before v does not.
            low = encoded[:-1] + bytes([encoded[-1] - 1]) + _END
        return self.within(low, encoded + _END)

    def cells(self, interval: Interval) -> tuple[int, int]:
        """First and last point that the tests behind the two cuts keep.

        The point of a text of 16 bytes or more is shared with other texts, so tests that exclude the text
        itself keep its point; `not prefix` does so only past 16 bytes.
        """
        return _first_point(interval[0]), _last_point(interval[1])

    def share(self, interval: Interval) -> Fraction:
        """The part of the points."""
        first, last = self.cells(interval)
        return Fraction(max(0, last - first + 1), POINTS)

    def inhabited(self, interval: Interval) -> bool:
        """Whether a text lies between the cuts."""
        first = _first_text(interval[0])
        return first is not None and first < interval[1]

    def to_json(self) -> dict[str, object]:
        """A name and a type."""
        return {"name": self.name, "type": "string"}


def point(encoded: bytes) -> int:
    """The first 16 bytes, padded with zero bytes, as a big-endian integer."""
    return int.from_bytes(encoded[:POINT_BYTES].ljust(POINT_BYTES, b"\0"), "big")


def text_problem(value: str) -> str | None:
    """Why `value` is no text that an event can carry; None when it is one."""
    if "\0" in value:
        return "has U+0000 in it"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "has a lone surrogate in it"
    return None


def _last_beginning(encoded: bytes) -> int:
    """The last point of texts that begin with `encoded`."""
    return int.from_bytes(encoded[:POINT_BYTES].ljust(POINT_BYTES, _END), "big")


def _first_point(cut: bytes) -> int:
    text = cut[:-1]
    if cut.endswith(b"\0"):
        return point(text) + (len(text) < POINT_BYTES)
    if cut.endswith(_END):
        return _last_beginning(text) + (len(text) <= POINT_BYTES)
    return point(cut)


def _last_point(cut: bytes) -> int:
    text = cut[:-1]
    if cut.endswith(b"\0"):
        return point(text)
    if cut.endswith(_END):
        return _last_beginning(text)
    return point(cut) - (len(cut) < POINT_BYTES)


def _first_text(cut: bytes) -> bytes | None:
    """The first text behind a cut; None behind all."""
    text = cut[:-1]
    if cut.endswith(b"\0"):
        return text + b"\x01"
    if not cut.endswith(_END):
        return cut
    try:
        chars = text.decode()
    except UnicodeDecodeError:  # the cut of `beginning_with` at 16 bytes
        return text[:-1] + bytes([text[-1] + 1])
    while chars and chars[-1] == "\U0010ffff":
        chars = chars[:-1]
    if not chars:
        return None
    following = ord(chars[-1]) + 1
    return (chars[:-1] + chr(0xE000 if following == 0xD800 else following)).encode()
