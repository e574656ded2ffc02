"""Words of messages that depend on a number, and truncated texts."""

from __future__ import annotations

from codecs import getincrementaldecoder

_CONTINUATION = bytes(range(0x80, 0xC0))


def quantity(number: int, one: str, many: str | None = None) -> str:
    """Return the number with its noun: "1 edge", "2 edges".

    Args:
        number: The number of objects.
        one: The noun for 1, optionally with a verb ("edge is").
        many: The words for every other number; by default `one` with an s.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def whole_characters(data: bytes) -> str:
    """Decode bytes that were cut at any offset; incomplete characters at both ends are left out.

    Other bytes that are not UTF-8 become U+FFFD.
    """
    return getincrementaldecoder("utf-8")("replace").decode(data.lstrip(_CONTINUATION))
