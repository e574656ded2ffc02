"""Where the limit does not bite, the encoder's set is the one of the definition, to the bit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.encoding.encoder import encode, encode_dz
from tercast.eventspace import dz
from tercast.eventspace.topic import Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tests.property_profiles import examples
from tests.support.kernel_modes import kernels  # noqa: F401 - runs all tests in both modes
from tests.support.space_judge import dz_set
from tests.support.space_strategies import events, filters, topics

MANY = 1_000
ENDLESS = 1_000_000


def texts(cells: dz.DzSet) -> list[str]:
    return [dz.text(cell) for cell in cells]


def encoded(topic: Topic, text: str, depth: int, limit: int = MANY) -> list[str]:
    return texts(encode(Filter.parse(text, topic), depth, limit).dz)


@examples(300)
@given(st.data())
def test_small_spaces_of_all_types_against_brute_force(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(filters(topic))
    depth = data.draw(st.integers(1, 7))
    expected = dz_set(drawn.tree, topic, depth)
    assert texts(encode_dz(drawn, depth, MANY)) == expected
    assert texts(encode_dz(drawn, depth, max(1, len(expected)))) == expected
    assert texts(encode_dz(drawn, depth, ENDLESS)) == expected


@examples(250)
@given(st.data())
def test_uneven_domains_that_end_at_different_depths(data: st.DataObject) -> None:
    topic = data.draw(topics(("int", "enum", "float")))
    drawn = data.draw(filters(topic))
    depth = data.draw(st.integers(3, 9))
    expected = dz_set(drawn.tree, topic, depth)
    assert texts(encode_dz(drawn, depth, len(expected))) == expected


@examples(300)
@given(st.data())
def test_an_event_that_matches_is_in_the_set(data: st.DataObject) -> None:
    topic = data.draw(topics())
    drawn = data.draw(filters(topic))
    values = data.draw(events(topic))
    depth = data.draw(st.sampled_from([1, 4, 10, 30, 48, 112]))
    limit = data.draw(st.sampled_from([1, 2, 5, 50]))
    if drawn.matches(values):
        assert dz.set_covers(encode_dz(drawn, depth, limit), (topic.event_dz(values, depth),))


TWO = Topic("t", 0, (Float("pressure", 0.0, 100.0), Float("area", 0.0, 100.0)))
LOW = Topic("quotes", 4, (Int("low", 0, 1023),))


@pytest.mark.parametrize(
    ("topic", "text", "depth", "expected"),
    [
        (TWO, "pressure in [25, 50)", 3, ["001", "011"]),
        (TWO, "pressure in [25, 50) and area < 50", 3, ["001"]),
        (TWO, "pressure in [25, 50] and area < 50", 3, ["001", "100"]),
        (LOW, "low in [80, 100]", 20, ["000101", "00011000", "0001100100"]),
        (LOW, "low < 512", 20, ["0"]),
        (LOW, "", 20, [""]),
        (LOW, "low = 5", 20, ["0000000101"]),
        (LOW, "low = 5", 4, ["0000"]),
        (LOW, "low != 2.5", 4, [""]),
    ],
)
def test_worked_cases(topic: Topic, text: str, depth: int, expected: list[str]) -> None:
    assert encoded(topic, text, depth) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x <= 0.5", ["0", "100"]),
        ("x < 0.5", ["0"]),
        ("x >= 0.5", ["1"]),
        ("x > 0.5", ["1"]),
        ("x = 0.5", ["100"]),
        ("x = 1", ["111"]),
        ("x >= 1.0", ["111"]),
        ("x < 1", [""]),
        ("x <= 0", ["000"]),
        ("x > 0", [""]),
        ("x != 0.5", [""]),
        ("x in [0.125, 0.25)", ["001"]),
        ("x in [0.125, 0.25]", ["001", "010"]),
    ],
)
def test_open_and_closed_ends_of_floats(text: str, expected: list[str]) -> None:
    assert encoded(Topic("t", 0, (Float("x", 0.0, 1.0),)), text, 3) == expected


def point(text: str, pad: int = 0) -> str:
    return format(int.from_bytes(text.encode()[:16].ljust(16, bytes([pad])), "big"), "0128b")


LONG = "abcdefghijklmnop"  # 16 bytes


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ('s = "ab"', [point("ab")], [point("ab\x01"), point("aa")]),
        ('s != "ab"', [point("ab\x01"), point("aa", 255)], [point("ab")]),
        (f's != "{LONG}"', [point(LONG)], []),
        (f's < "{LONG}"', [point(LONG)], [point("abcdefghijklmnoq")]),
        ('s < "ab"', [point("aa", 255)], [point("ab")]),
        ('s <= "ab"', [point("ab")], [format(int(point("ab"), 2) + 1, "0128b")]),
        ('s > "ab"', [format(int(point("ab"), 2) + 1, "0128b")], [point("ab")]),
        (f's > "{LONG}"', [point(LONG)], [point("abcdefghijklmnoo")]),
        (f's > "{LONG}q"', [point(LONG)], [point("abcdefghijklmnoo")]),
        ('s prefix "ab"', [point("ab"), point("ab", 255)], [point("aa", 255), point("ac")]),
        (f's prefix "{LONG}q"', [point(LONG)], [point("abcdefghijklmnoq")]),
        ('not s prefix "ab"', [point("aa", 255), point("ac")], [point("ab"), point("ab", 255)]),
        (f'not s prefix "{LONG}"', [point("a")], [point(LONG)]),
        (f'not s prefix "{LONG}q"', [point("a"), point(LONG)], []),
        (
            f's = "{LONG}" and s != "{LONG}"',
            [point(LONG)],
            [point("abcdefghijklmnoo"), point("abcdefghijklmnoq")],
        ),
        (f's = "{LONG}a" and s = "{LONG}b"', [point(LONG)], [point("abcdefghijklmnoq")]),
        (f's < "{LONG}" and s prefix "{LONG}"', [point(LONG)], [point("abcdefghijklmnoo")]),
        (f's < "{LONG}" and s prefix "{LONG}" or s = "b"', [point(LONG), point("b")], [point("a")]),
        (f'not s = "{LONG}" and s prefix "{LONG}"', [point(LONG)], [point("a")]),
        (f'not s in ("{LONG}", "b")', [point(LONG), point("a")], [point("b")]),
        (f'not s < "{LONG}"', [point(LONG)], [point("abcdefghijklmnoo")]),
        (f'not s >= "{LONG}q"', [point(LONG)], [point("abcdefghijklmnoq")]),
    ],
)
def test_strings_are_tested_on_points(text: str, inside: list[str], outside: list[str]) -> None:
    cells = encode_dz(Filter.parse(text, Topic("t", 0, (String("s"),))), 128, MANY)
    for word in inside:
        assert dz.set_covers(cells, (dz.parse(word),))
    for word in outside:
        assert not dz.set_overlaps(cells, (dz.parse(word),))


def test_only_indexed_attributes_make_up_the_dz() -> None:
    topic = Topic("t", 0, (Int("a", 0, 7), Int("b", 0, 7)), ("b",))
    assert encoded(topic, "b < 4 and a = 3", 10) == ["0"]
    assert encoded(topic, "a = 3", 10) == [""]
    assert encoded(topic, "a = 3 and b = 0 or a = 4 and b > 5", 10) == ["000", "11"]


@pytest.mark.parametrize(
    ("text", "depth", "excess"),
    [
        ("n in [0, 4]", 10, 0.0),
        ("n in [0, 4]", 1, 0.0),
        ("n in [0, 3]", 1, 0.25),  # the first half is 0..4
        ("n = 9", 1, 4.0),
        ("n = 0 or n = 9", 1, 4.0),
        ("", 5, 0.0),
    ],
)
def test_excess_is_a_share_of_the_filters_own_volume(text: str, depth: int, excess: float) -> None:
    topic = Topic("t", 0, (Int("n", 0, 9),))
    assert encode(Filter.parse(text, topic), depth, MANY).excess == pytest.approx(excess)


def test_excess_counts_all_attributes_and_is_finite() -> None:
    topic = Topic("t", 0, (Float("x", 0.0, 1.0), Int("n", 0, 3)), ("x",))
    assert encode(Filter.parse("x < 0.5 and n = 0", topic), 8, 50).excess == pytest.approx(3.0)
    assert encode(Filter.parse("x <= 0.5", topic), 2, 50).excess == pytest.approx(0.5)
    # no length at all: measured on the 2**32 cells
    assert encode(Filter.parse("x = 0.5", topic), 32, 50).excess == 0
    assert encode(Filter.parse("x = 0.5", topic), 31, 50).excess == 1
    assert encode(Filter.parse("x = 0.5 and n = 1 or x < 0.5", topic), 1, 50).excess == pytest.approx(1.0)
    tiny = encode(Filter.parse("x < 5e-324", topic), 1, 1).excess
    assert 1e300 < tiny < float("inf")


def test_overlapping_alternatives_count_once() -> None:
    topic = Topic("t", 0, (Int("a", 0, 15), Enum("b", ("x", "y"))))
    assert encode(Filter.parse('a < 8 or b = "x"', topic), 10, 50).excess == 0


X = Float("x", 0.0, 1.0)
Y = Float("y", 0.0, 1.0)


@pytest.mark.parametrize(
    ("attributes", "text", "depth"),
    [
        ((X, Int("n", 0, 2)), "x in [0.359375, 0.8125) or n = 2", 6),
        (
            (Int("n", 0, 2), X, Int("m", 0, 5)),
            "n < 2 and m < 4 or n > 0 and x in [0.359375, 0.921875) and m = 0 "
            "or n > 0 and x in [0.609375, 0.859375) and m in [1, 4]",
            5,
        ),
        (
            (Int("n", 0, 5), X, Y),
            "n in [2, 3] and y in [0.890625, 0.984375) "
            "or x in [0.296875, 0.5625) and y in [0.046875, 0.953125) or x in [0.21875, 0.5] "
            "or x in [0.515625, 0.90625] and y in [0.4375, 0.515625)",
            7,
        ),
    ],
)
def test_alternatives_that_overlap_only_when_rounded_to_a_cell(
    attributes: tuple[Int | Float, ...], text: str, depth: int
) -> None:
    topic = Topic("t", 0, attributes)
    parsed = Filter.parse(text, topic)
    expected = dz_set(parsed.tree, topic, depth)
    assert texts(encode_dz(parsed, depth, len(expected))) == expected


def test_values_in_one_finest_cell_count_once() -> None:
    topic = Topic("t", 0, (X,))
    assert encode(Filter.parse("x = 0.5 or x = 0.50000000001", topic), 32, 50).excess == 0
