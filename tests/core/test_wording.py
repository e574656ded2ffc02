"""Numbers in messages have the noun and the verb that go with them."""

import pytest

from tercast.wording import quantity


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("edge",), "0 edges"),
        (1, ("edge",), "1 edge"),
        (2, ("edge",), "2 edges"),
        (1, ("entry", "entries"), "1 entry"),
        (-1, ("entry", "entries"), "-1 entries"),
        (1, ("edge is", "edges are"), "1 edge is"),
        (3, ("edge is", "edges are"), "3 edges are"),
    ],
)
def test_quantities(number: int, words: tuple[str, ...], text: str) -> None:
    assert quantity(number, *words) == text
