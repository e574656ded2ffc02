"""Numbers in messages have the correct noun and verb, and shares are percentages."""

import pytest

from tercast.runtime.wording import first_of, one_line, percent, quantity, unknown_name, whole_characters


@pytest.mark.parametrize(
    ("share", "error", "text"),
    [
        (0, 0, "0 %"),
        (0.075, 0, "7.5 %"),
        (0.075, 0.002, "≈ 7.5 % (± 0.2 %)"),
        (19.63, 0.283, "≈ 1,963 % (± 28.3 %)"),
        (0, 0.002, "≈ 0 % (± 0.2 %)"),
        (3.4e-14, 0, "3.4e-12 %"),
        (1.7e308, 1e306, "≈ over 10⁹ % (± over 10⁹ %)"),
    ],
)
def test_percentages(share: float, error: float, text: str) -> None:
    assert percent(share, error) == text


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


def test_no_character_is_cut_in_two() -> None:
    text = "a\u00e9\u20ac\U0001f600z"
    data = text.encode()
    for begin in range(len(data) + 1):
        for end in range(begin, len(data) + 1):
            found = whole_characters(data[begin:end])
            assert found in text
            assert len(data[begin:end]) - len(found.encode()) <= 6
    assert whole_characters(data) == text
    assert whole_characters(b"a\xffb") == "a\ufffdb"


def test_a_long_list_ends_with_the_number_of_other_names():
    assert first_of(["a", "b"], 2) == "a, b"
    assert first_of((f"q{n}" for n in range(1234)), 2, "; ") == "q0; q1 and 1,232 more"
    assert not first_of([])


def test_an_unknown_name_has_a_remedy():
    assert unknown_name("switch", "x", ["s1", "s2"]) == 'unknown switch "x"; use one of s1, s2'
    assert unknown_name("topic", "a\n", {}) == 'unknown topic "a\\n"; no topic exists'
    assert unknown_name("host", 7, [f"h{n}" for n in range(30)]).endswith("h8, h9 and 20 more")


def test_a_json_value_is_one_line():
    assert one_line({"free": [], "three": [0, 2]}) == "free: none; three: 0, 2"
    assert one_line(3) == "3"
