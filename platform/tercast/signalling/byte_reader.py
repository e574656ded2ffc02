"""Reader for bytes field by field; truncated and overlong fields raise MalformedMessage."""

from __future__ import annotations

from tercast.runtime.wording import quantity
from tercast.signalling.errors import MalformedMessage
from tercast.wire import varint
from tercast.wire.errors import WireError

_CODE_BYTES = 16
MAX_CODE = (1 << 112) - 1


class ByteReader:
    """A position in some bytes, which only increases."""

    __slots__ = ("data", "position")

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def take(self, count: int, what: str) -> bytes:
        """Read the next `count` bytes."""
        end = self.position + count
        if end > len(self.data):
            raise MalformedMessage("truncated", len(self.data), f"the message ends within {what}")
        found = self.data[self.position : end]
        self.position = end
        return found

    def byte(self, what: str) -> int:
        """Read the next byte."""
        return self.take(1, what)[0]

    def number(self, count: int, what: str) -> int:
        """Read a big-endian number of `count` bytes."""
        return int.from_bytes(self.take(count, what), "big")

    def code(self) -> int:
        """Read a topic code, which is a varint."""
        at = self.position
        try:
            value, self.position = varint.decode(self.data, at, _CODE_BYTES)
        except WireError as error:
            code = "truncated" if error.position >= len(self.data) else "bad_number"
            raise MalformedMessage(code, error.position, error.rule) from None
        if value > MAX_CODE:
            raise MalformedMessage("bad_number", at, "a topic code has at most 112 bits")
        return value

    def text(self, count: int, what: str) -> str:
        """Read `count` bytes of UTF-8 without U+0000."""
        at = self.position
        data = self.take(count, what)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise MalformedMessage("bad_text", at + error.start, f"{what} is not UTF-8") from None
        if "\0" in text:
            raise MalformedMessage("bad_text", at + data.index(0), f"{what} contains U+0000")
        return text

    def end(self) -> None:
        """Refuse bytes that are left over."""
        left = len(self.data) - self.position
        if left:
            raise MalformedMessage(
                "left_over", self.position, f"{quantity(left, 'byte is', 'bytes are')} left over"
            )
