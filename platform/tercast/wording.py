"""Words of messages that depend on a number."""

from __future__ import annotations


def quantity(number: int, one: str, many: str | None = None) -> str:
    """The number with its noun: "1 edge", "2 edges".

    Args:
        number: How many there are.
        one: The noun for 1, with its verb where the sentence has one ("edge is").
        many: The words for every other number; `one` with an s without it.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"
