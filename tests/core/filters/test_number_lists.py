"""Lists of numbers are read in one match: the values and errors are those of reading one token at a time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters import parser
from tercast.filters.parser import parse_filter
from tests.property_profiles import examples

TOPIC = Topic("t", 1, (Int("n", 0, 99), Float("f", 0.0, 9.0), String("s"), Bool("b"), Enum("e", ("1", "2"))))
ITEMS = st.sampled_from(
    (
        "1",
        "-2",
        "007",
        "1.5",
        "2e3",
        "1e400",
        "1e-2000",
        "9" * 1001,
        "1.",
        "1e",
        "3x",
        ".5",
        '"1"',
        "true",
        "",
        "(",
    )
)


def answer(text: str) -> Any:
    try:
        return parse_filter(text, TOPIC)
    except Refused as refused:
        return type(refused), refused.code, str(refused), vars(refused)


@examples(1000)
@given(
    st.sampled_from("nfsbe"),
    st.lists(ITEMS, max_size=5),
    st.sampled_from((",", " ,\t", ", ", ",,")),
    st.data(),
)
def test_lists_have_the_values_and_errors_of_single_tokens(
    name: str, items: list[str], comma: str, data: st.DataObject
) -> None:
    end = data.draw(st.sampled_from((")", " )", "", "]", ") and n < 3", ") or", ")x")))
    text = f"{name} in ({comma.join(items)}{end}"
    found = answer(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser._Parser, "numbers", lambda self, attribute: None)
        assert found == answer(text)


def test_a_long_list_is_read() -> None:
    text = f"n in ({', '.join(map(str, range(9_000)))})"
    tree = parse_filter(text, TOPIC)
    assert tree.values == tuple(range(9_000))
