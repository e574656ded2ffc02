"""Borders between cells of texts: the first text behind one, and how it is shown."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tercast.eventspace.string_attribute import POINT_BYTES, POINTS, beginning, first_text, point

CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
TEXTS = st.text(CHARACTERS, max_size=20)
EDGES = st.sampled_from("\x01\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff")
BORDERS = (
    st.integers(0, POINTS - 1)
    | st.text(CHARACTERS | EDGES, max_size=18).map(lambda text: point(text.encode()))
    | st.builds(
        lambda data, off: min(
            max(int.from_bytes(data.ljust(POINT_BYTES, b"\0")[:POINT_BYTES], "big") + off, 0), POINTS - 1
        ),
        st.binary(max_size=POINT_BYTES),
        st.integers(-1, 1),
    )
)


@given(BORDERS, TEXTS | st.text(EDGES, max_size=5))
@example(0, "")
@example(point(b"\xed\xa0"), "\ue000")
@example(point(b"ab\xff"), "ac")
@example(point(b"\xf4\x90"), "\U0010ffff")
@example(point(b"a\0\1"), "a\x01")
def test_the_first_text_parts_those_below_from_those_above(border: int, text: str) -> None:
    first = first_text(border)
    assert first is None or point(first.encode()) >= border
    above = point(text.encode()) >= border
    assert above == (first is not None and text.encode() >= first.encode())


@given(BORDERS)
def test_a_border_is_shown_in_whole_characters(border: int) -> None:
    shown = beginning(border)
    assert "\ufffd" not in shown
    assert border.to_bytes(POINT_BYTES, "big").startswith(shown.removesuffix("…").encode())


def test_a_text_whose_sixteenth_byte_is_inside_a_character() -> None:
    border = point("abcdefghijklmno\u00e9".encode())
    assert beginning(border) == "abcdefghijklmno…"
    assert first_text(border) == "abcdefghijklmno\u00c0"
    assert beginning(point(b"IBM")) == first_text(point(b"IBM")) == "IBM"
