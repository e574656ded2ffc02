"""Filters that are refused: each with a code, the place in the text, and one line that says what to do."""

from __future__ import annotations

import time

import pytest

from tercast.errors import Refused
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter

TOPIC = Topic(
    "t",
    1,
    (Int("a", 0, 1023), Float("x", 0.0, 100.0), Bool("ok"), Enum("day", ("mon", "tue")), String("sym")),
)


def refused(text: object) -> Refused:
    with pytest.raises(Refused) as caught:
        Filter.parse(text, TOPIC, ("requests", 3, "filter"))
    error = caught.value
    assert error.path == ("requests", 3, "filter")
    assert error.value == text
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    return error


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("a", 2, "after a"),
        ("a <", 4, "end of the filter"),
        ("a < <", 5, "number"),
        ("a <> 5", 4, "number"),
        ("a = 5 5", 7, "end"),
        ("a = 5 x = 3", 7, "end"),
        ("a = 5 and", 10, "an attribute"),
        ("and a = 5", 1, "an attribute"),
        ("5 < a", 1, "an attribute"),
        ("(a = 5", 7, '")"'),
        ("a = 5)", 6, "end"),
        ("a<5AND5", 4, "end"),
        ("a<5ANDx<5", 4, "end"),
        ("a in 5", 6, '"["'),
        ("a in [1 2]", 9, '","'),
        ("a in [1, 2", 11, '"]"'),
        ("a in ()", 7, "number"),
        ("a in (1,)", 9, "number"),
        ("a in (1", 8, '")"'),
        ("a between 1", 3, "comparison"),
        ("a = 1.", 5, "not a number"),
        ("a = .5", 5, "not a number"),
        ("a = +5", 5, "not a number"),
        ("a = 1.and x = 3", 5, "not a number"),
        ("a = 12.", 5, "not a number"),
        ("a = 1.5.5", 5, "not a number"),
        ("a = 1e5.", 5, "not a number"),
        ("a = 5x", 6, "end"),
        ("a = 1e", 6, "end"),
        ("a = 1e+", 6, "end"),
        ("a = 1eand x = 3", 6, "end"),
        ("a = 0x10", 6, "end"),
        ("a = 1_000", 6, "end"),
        ("a = 1and-x < 3", 6, "end"),
        ("a in [1and, 2]", 8, '","'),
        ("a = --5", 5, "not a number"),
        ("a = - 5", 5, "not a number"),
        ("a = ٥", 5, "unexpected character"),
        ("a = 5 && x = 3", 7, "unexpected character"),
        ("sym = 'a'", 7, "double quotes"),
        ('sym = "a', 7, "closing"),
        (r'sym = "a\n"', 9, "escapes"),
        ("a\xa0= 5", 2, "unexpected character"),
        ("true and a = 5", 1, "an attribute"),
        ("(true)", 2, "an attribute"),
        ("false", 1, "an attribute"),
        ("not", 4, "an attribute"),
        ("ok", 3, "ok = true"),
        ("a = 5 and-x < 3", 7, "end"),
    ],
)
def test_syntax(text: str, place: int, says: str) -> None:
    error = refused(text)
    assert error.code == "filter_syntax"
    assert f"at character {place}: " in error.detail
    assert says in error.detail


@pytest.mark.parametrize(
    ("text", "place", "code", "says"),
    [
        ("b = 5", 1, "unknown_attribute", "a, x, ok, day, sym"),
        ("a = 5 and A = 5", 11, "unknown_attribute", '"A"'),
        ("ain [1, 2]", 1, "unknown_attribute", '"ain"'),
        ("a-5 = 1", 1, "unknown_attribute", '"a-5"'),
        ('a = "5"', 5, "wrong_type", "a number"),
        ("a = true", 5, "wrong_type", "a number"),
        ('a in [1, "2"]', 10, "wrong_type", "a number"),
        ("ok = 1", 6, "wrong_type", "true or false"),
        ('ok = "true"', 6, "wrong_type", "true or false"),
        ("ok in [0, 1]", 7, "wrong_type", "range"),
        ("day = 1", 7, "wrong_type", "texts"),
        ('day = "sun"', 7, "unknown_value", '"mon", "tue"'),
        ('day < "sun"', 7, "unknown_value", '"mon", "tue"'),
        ('day prefix "m"', 5, "wrong_type", "prefix"),
        ('day in ["mon", "tue"]', 8, "wrong_type", "range"),
        ("sym < 5", 7, "wrong_type", "a text"),
        ("sym in [1, 2]", 8, "wrong_type", "range"),
        ("sym prefix 5", 12, "wrong_type", "a text"),
        ('a prefix "5"', 3, "wrong_type", "prefix"),
        ('sym = "a\0"', 7, "wrong_type", "U+0000"),
        ('sym = "\ud800"', 7, "wrong_type", "surrogate"),
        ("x = 1e400", 5, "number_too_large", "1e400"),
        ("a < -1e999", 5, "number_too_large", "floating-point"),
        ("a < " + "9" * 1001, 5, "number_too_long", "1000"),
        ("x < 0." + "0" * 5000 + "1", 5, "number_too_long", "1000"),
        ("(" * 65 + "a=1" + ")" * 65, 66, "too_deep", "64"),
    ],
)
def test_meaning(text: str, place: int, code: str, says: str) -> None:
    error = refused(text)
    assert error.code == code
    assert f"at character {place}: " in error.detail
    assert says in error.detail


@pytest.mark.parametrize(
    "text",
    [
        "a > 2000",
        "a < 0",
        "a > 10 and a < 5",
        "a = 2.5",
        "a in [5, 3]",
        "a in [5, 5)",
        "a in [5.1, 5.9]",
        "not (a >= 0)",
        "x > 1.0 and x < 1.0",
        "x < 0.0",
        "x > 100",
        "ok != true and ok != false",
        'day > "tue"',
        'sym < ""',
        'sym > "a" and sym <= "a"',
        'sym = "abcdefghijklmno" and sym != "abcdefghijklmno"',
        'sym = "abcdefghijklmnop" and sym = "abcdefghijklmnoq"',
        'sym prefix "abcdefghijklmnop" and not sym prefix "abcdefghijklmnop"',
        'sym prefix "a" and sym >= "b"',
        "a = 5 and (a = 6 or a = 7 and x > 5)",
    ],
)
def test_what_can_match_nothing(text: str) -> None:
    error = refused(text)
    assert error.code == "matches_nothing" and "contradict" in error.detail
    assert error.detail.endswith("; correct the filter")
    assert text.split(maxsplit=1)[0].removeprefix("(") in error.detail or text.startswith("not")


@pytest.mark.parametrize(
    "text",
    [
        "x > 1.0 and x < 1.0000000000000002",
        "a > 2000 or a = 1",
        'sym > "a" and sym < "b"',
        # texts that share a point are indistinguishable there
        'sym > "a" and sym < "a\x01"',
        'sym = "abcdefghijklmnop" and sym != "abcdefghijklmnop"',
        'sym = "abcdefghijklmnopq" and sym = "abcdefghijklmnopr"',
        'sym < "abcdefghijklmnop" and sym prefix "abcdefghijklmnop"',
        'sym prefix "abcdefghijklmnopq" and not sym prefix "abcdefghijklmnopq"',
        'not (sym = "abcdefghijklmnop" or sym != "abcdefghijklmnop")',
        "a != 2.5",
        "a <= 1e300",
    ],
)
def test_what_is_nearly_empty_is_accepted(text: str) -> None:
    assert Filter.parse(text, TOPIC).terms


def test_bounds_outside_the_domain_are_cut_to_it() -> None:
    assert Filter.parse("a in [-5, 3]", TOPIC).terms == Filter.parse("a <= 3", TOPIC).terms
    assert Filter.parse("a >= -5", TOPIC).terms == ((),)
    assert Filter.parse(f"x < {10**400}", TOPIC).terms == ((),)


@pytest.mark.parametrize("text", [None, 5, b"a = 5", ["a = 5"]])
def test_a_filter_is_a_text(text: object) -> None:
    assert refused(text).code == "wrong_type"


def test_limits_are_in_the_message() -> None:
    error = refused("a=1" + " " * 65_536)
    assert error.code == "too_long"
    assert "65536" in error.detail
    pairs = " and ".join(f"(a != {i} or x != {i})" for i in range(40))
    error = refused(pairs)
    assert error.code == "too_complex"
    assert "4096" in error.detail


@pytest.mark.parametrize(
    "text",
    [
        "not " * 16_000 + "a=1",
        "(" * 65_000,
        " or ".join(f"a={i}" for i in range(7_000)),
        " and ".join(f"a!={i}" for i in range(6_000)),
        "a in (" + ",".join(str(i * 3) for i in range(12_000)) + ")",
        " and ".join(f"(a<{i} or x>{i} or ok=true)" for i in range(1_500)),
        " or ".join(f"a={i % 999} and x<{i % 101}" for i in range(2_900)),
        "-" * 65_000,
        '"' + "\\\\" * 30_000,
        "a = 5 and " * 6_000,
    ],
)
def test_long_texts_are_parsed_or_refused_without_delay(text: str) -> None:
    began = time.process_time()
    try:
        Filter.parse(text, TOPIC)
    except Refused as error:
        assert len(str(error)) < 400
    assert time.process_time() - began < 20  # an order above what it takes; a blow-up takes minutes
