"""Words of messages that depend on a number, and texts that were cut."""

from __future__ import annotations

from codecs import getincrementaldecoder

_CONTINUATION = bytes(range(0x80, 0xC0))


def quantity(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun: "1 edge", "2 edges".

    Args:
        number: How many there are.
        one: The noun for 1, with its verb where the sentence has one ("edge is").
        many: The words for every other number; `one` with an s without it.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def whole_characters(data: bytes) -> str:
    """The text of bytes that were cut anywhere: parts of a character at either end are left out.

    Other bytes that are not UTF-8 become U+FFFD.
    """
    return getincrementaldecoder("utf-8")("replace").decode(data.lstrip(_CONTINUATION))
