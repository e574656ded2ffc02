"""Integers of any size as bytes: seven bits a byte, low bits first, the high bit says that more follow.

One number has one form: the last byte of a longer one is never zero. Signed integers go through zigzag
(0, -1, 1, -2, … become 0, 1, 2, 3, …), so that small ones of either sign stay short.
"""

from __future__ import annotations

from tercast.wire.errors import WireError


def encode(value: int) -> bytes:
    """The bytes of `value`, 0 or more."""
    if value < 0x80:
        return value.to_bytes(1, "big")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def decode(data: bytes, position: int, most: int) -> tuple[int, int]:
    """The number that starts at `position`, and the offset behind it.

    WireError when `data` ends within it, when it takes more than `most` bytes, or when it is overlong.
    """
    start, value, shift = position, 0, 0
    end = min(len(data), start + most)
    while position < end:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if not byte and shift:
                raise WireError(position - 1, "a number is written in its shortest form")
            return value, position
        shift += 7
    if position >= len(data):
        raise WireError(position, "the event ends within a number")
    raise WireError(start, f"a number here takes at most {most} bytes")


def size(largest: int) -> int:
    """How many bytes `largest` takes, and no number below it takes more."""
    return max(1, -(-largest.bit_length() // 7))


def zigzag(value: int) -> int:
    """The number, 0 or more, that stands for the signed `value`."""
    return value << 1 if value >= 0 else ~(value << 1)


def unzigzag(value: int) -> int:
    """The signed number that `value` stands for."""
    return ~(value >> 1) if value & 1 else value >> 1
