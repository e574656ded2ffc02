"""Integers of any size as bytes: seven bits for each byte, low bits first.

The high bit of a byte means that more bytes follow. One number has one form, so the last of several bytes is
never zero. Signed integers use zigzag (0, -1, 1, -2, … become 0, 1, 2, 3, …), so that small numbers of both
signs are short.
"""

from __future__ import annotations

from tercast.wire.errors import WireError


def encode(value: int) -> bytes:
    """Convert `value`, 0 or more, to bytes."""
    if value < 0x80:
        return value.to_bytes(1, "big")
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def decode(data: bytes, position: int, most: int) -> tuple[int, int]:
    """Read the number that starts at `position`; return it with the next offset.

    Raises:
        WireError: the data ends within the number, the number has more than `most` bytes, or it is overlong.
    """
    start, value, shift = position, 0, 0
    end = min(len(data), start + most)
    while position < end:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if not byte and shift:
                raise WireError(position - 1, "a number is not in its shortest form")
            return value, position
        shift += 7
    if position >= len(data):
        raise WireError(position, "the event ends within a number")
    raise WireError(start, f"a number has more than {most} bytes")


def size(largest: int) -> int:
    """Count the bytes of `largest`, which is also the maximum for all smaller numbers."""
    return max(1, -(-largest.bit_length() // 7))


def zigzag(value: int) -> int:
    """Convert a signed `value` to a number that is 0 or more."""
    return value << 1 if value >= 0 else ~(value << 1)


def unzigzag(value: int) -> int:
    """Convert a number of `zigzag` back to its signed value."""
    return ~(value >> 1) if value & 1 else value >> 1
