"""Numbers in filters: integers compare with the text, reals with the nearest double, on both paths alike."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tercast.encoding.encoder import encode_dz
from tercast.errors import Refused
from tercast.eventspace.dz import covers
from tercast.eventspace.topic import Float, Int, Topic
from tercast.filters.batch_matcher import Audience
from tercast.filters.filter import Filter
from tercast.filters.parser import _Parser
from tests.property_profiles import examples

LARGE = 1 << 53
HUGE = 10**301
TOPIC = Topic("t", 1, (Int("n", -HUGE, HUGE), Float("x", -1e300, 1e300)))
SMALL = Topic("t", 1, (Int("n", LARGE - 8, LARGE + 7), Float("x", -1.0, 1.0)))

OPERATORS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def matches(text: str, values: dict[str, Any], topic: Topic = TOPIC) -> bool:
    """What the matcher says; False where the filter is refused because it can match nothing."""
    try:
        parsed = Filter.parse(text, topic)
    except Refused as refused:
        assert refused.code == "matches_nothing"
        return False
    found = parsed.matches(values)
    assert Filter.parse(str(parsed), topic) == parsed
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert bool(Audience(topic, [(0, parsed)], 1).wanting([values])[0, 0]) == found
    return found


@st.composite
def literals(draw: st.DrawFn) -> str:
    """Texts of numbers, many of them close to integers, to doubles and to 2**53."""
    base = draw(
        st.sampled_from([0, 1, 7, LARGE - 1, LARGE, LARGE + 1, LARGE + 3, 10**22, 10**23])
        | st.integers(-(10**20), 10**20)
    )
    fraction = draw(st.sampled_from(["", ".0", ".5", "." + "0" * 30 + "1", "." + "9" * 30, ".25", ".1"]))
    exponent = draw(st.sampled_from(["", "", "e0", "E+3", "e-1", "e-17", "e-40", "e250"]))
    return f"{'-' if base > 0 and draw(st.booleans()) else ''}{base}{fraction}{exponent}"


def nearest(text: str) -> Fraction:
    """What a real is compared with."""
    exact = Fraction(text)
    whole = text.lstrip("-").isdecimal()
    return exact if whole or (exact and not float(text)) else Fraction(float(text))


@examples(150)
@given(literals(), st.sampled_from([*OPERATORS]), st.integers(-2, 2), st.booleans())
@example("9007199254740993.0", "=", 0, False)
@example("9007199254740992.5", "<", 0, False)
@example("1e-400", ">=", 0, True)
@example("1e-400", "<", 0, False)
@example("31638845500861952.0", "=", 0, False)  # the shortest text of this double is another number
def test_comparisons_are_those_of_rationals(text: str, operator: str, off: int, slow: bool) -> None:
    value = Fraction(text)
    inside = abs(value) < HUGE // 10
    n = round(value) + off if inside else off
    x = max(-1e300, min(1e300, float(text)))
    before, behind = ("(", ")") if slow else ("", "")
    for name, own, other in (("n", n, value), ("x", x, nearest(text))):
        expected = OPERATORS[operator](Fraction(own), other)
        assert matches(f"{before}{name} {operator} {text}{behind}", {"n": n, "x": x}) == expected


@examples(100)
@given(literals(), literals(), st.integers(-2, 2), st.sampled_from("])"), st.booleans())
def test_ranges_and_sets_are_those_of_rationals(a: str, b: str, off: int, end: str, slow: bool) -> None:
    low, high = Fraction(a), Fraction(b)
    n = round(low) + off if abs(low) < HUGE // 10 else off
    x = max(-1e300, min(1e300, float(a)))
    before, behind = ("not (not ", ")") if slow else ("", "")
    for name, own, first, last in (("n", n, low, high), ("x", x, nearest(a), nearest(b))):
        values = {"n": n, "x": x}
        held = first <= own and (own <= last if end == "]" else own < last)
        assert matches(f"{before}{name} in [{a}, {b}{end}{behind}", values) == held
        assert matches(f"{name} in ({a}, {b})", values) == (own in (first, last))


@examples(100)
@given(st.data())
def test_no_event_that_matches_is_outside_the_cells(data: st.DataObject) -> None:
    """All events of a small domain, against the cells of the filter and the columns of the audience."""
    near = st.integers(LARGE - 10, LARGE + 9)
    end = st.sampled_from(["", ".0", ".5", ".0000000000001", ".9999999999999", "e0", "0e-1"])
    text = f"n {data.draw(st.sampled_from([*OPERATORS]))} {data.draw(near)}{data.draw(end)}"
    value = Fraction(text.split()[2])
    holds = OPERATORS[text.split()[1]]
    events = [{"n": n, "x": 0.5} for n in range(LARGE - 8, LARGE + 8)]
    wanted = [holds(event["n"], value) for event in events]
    if not any(wanted):
        with pytest.raises(Refused, match="can match"):
            Filter.parse(text, SMALL)
        return
    parsed = Filter.parse(text, SMALL)
    assert [parsed.matches(event) for event in events] == wanted
    assert Audience(SMALL, [(0, parsed)], 1).wanting(events)[:, 0].tolist() == wanted
    cells = encode_dz(parsed, 8, 50)
    for event, held in zip(events, wanted, strict=True):
        assert any(covers(cell, SMALL.event_dz(event, 8)) for cell in cells) == held


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("n = 9007199254740993.0", "n = 9007199254740993.0"),
        ("n < 9007199254740992.5", "n < 9007199254740992.5"),
        ("n > 1e-400", "n > 1e-400"),
        ("n <= 1E300", "n <= 1e+300"),
        ("n < 0.1000000000000000055511151231257827", "n < 0.1000000000000000055511151231257827"),
        ("n in [0.50, 1e3]", "n in [0.5, 1000.0]"),
        ("n in (1.5, 9007199254740993.0, 3)", "n in (1.5, 9007199254740993.0, 3)"),
        ("x < 0.1", "x < 0.1"),
        ("x = 0.1000000000000000055511151231257827", "x = 0.1"),
        ("x > 1e-400", "x > 1e-400"),
        ("x > -0.0", "x > -0.0"),
    ],
)
def test_canonical_texts_keep_the_number(text: str, canonical: str) -> None:
    parsed = Filter.parse(text, TOPIC)
    assert str(parsed) == canonical
    assert Filter.parse(canonical, TOPIC) == parsed


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("x = 0.1", {"x": 0.1}, True),
        ("x < 0.1", {"x": 0.1}, False),
        ("x > 0.1", {"x": 0.1}, False),
        ("x <= 0.1", {"x": 0.1}, True),
        ("x in [0.1, 0.3]", {"x": 0.1 + 0.2}, False),  # 0.30000000000000004
        ("x < 1e-400", {"x": 0.0}, True),
        ("x >= 1e-400", {"x": 0.0}, False),
        ("x != 1e-400", {"x": 0.0}, True),
        ("x >= 1e-400", {"x": 5e-324}, True),
        ("x > -1e-400", {"x": -0.0}, True),
        ("x = 9007199254740993", {"x": 9007199254740992.0}, False),
        ("x = 9007199254740993.0", {"x": 9007199254740992.0}, True),
        ("n >= 1e-400", {"n": 0}, False),
        ("n >= 1e-400", {"n": 1}, True),
        ("n = 1e300", {"n": 10**300}, True),
        ("n = 1e300", {"n": int(1e300)}, False),
        ("n = 1e23", {"n": 10**23}, True),
        ("n in (2.5, 9007199254740993.0)", {"n": LARGE + 1}, True),
    ],
)
def test_which_numbers_are_equal(text: str, values: dict[str, Any], expected: bool) -> None:
    assert matches(text, {"n": 0, "x": 0.0, **values}) is expected


@pytest.mark.parametrize("name", ["n", "x"])
@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("1e999999999", "number_too_large"),
        ("-1e999999999999999999999999", "number_too_large"),
        ("1" + "0" * 900 + ".5", "number_too_large"),
        ("1e-999999999", "number_too_small"),
        ("-1e-999999999999999999999999", "number_too_small"),
        ("1e-1001", "number_too_small"),
        ("0." + "0" * 990 + "1e-900", "number_too_small"),
        ("1" * 1001, "number_too_long"),
        ("0." + "1" * 999, "number_too_long"),
    ],
)
def test_numbers_out_of_bounds_are_refused_unexpanded(name: str, number: str, code: str) -> None:
    """An integer of 10**999999999 would take minutes and gigabytes."""
    for text, place in ((f"{name} < {number}", 5), (f"({name} in (1, {number}))", 11)):
        with pytest.raises(Refused) as caught:
            Filter.parse(text, TOPIC)
        assert caught.value.code == code
        assert f"at character {place}: " in caught.value.detail
        assert len(caught.value.detail) < 200


@pytest.mark.parametrize("number", ["0e-999999999", "0.0e999999999999999999", "-0e-99999999999999999999"])
def test_zero_has_any_exponent(number: str) -> None:
    assert matches(f"n <= {number}", {"n": 0, "x": 0.0})
    assert matches(f"x >= {number}", {"n": 0, "x": 0.0})


@pytest.mark.parametrize("number", ["1e-1000", "0." + "0" * 990 + "1"])
def test_the_smallest_numbers_are_compared(number: str) -> None:
    assert matches(f"n > {number} and x < {number}", {"n": 1, "x": 0.0})
    assert not matches(f"n < -{number}", {"n": 0, "x": 0.0})
    assert encode_dz(Filter.parse(f"x < {number}", TOPIC), 20, 50)


@examples(100)
@given(literals(), st.sampled_from("nx"), st.sampled_from([*OPERATORS]))
def test_one_match_reads_what_single_tokens_read(text: str, name: str, operator: str) -> None:
    tests = [f"{name} {operator} {text}", f"{name} in [{text}, {text})"]
    by_tokens = " and ".join(f"not not {test}" for test in tests)
    assert repr(_Parser(" and ".join(tests), TOPIC).whole()) == repr(_Parser(by_tokens, TOPIC).whole())
    assert repr(_Parser(f"({tests[0]})", TOPIC).whole()) == repr(_Parser(tests[0], TOPIC).whole())
