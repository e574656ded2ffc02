"""Checking the values of an event: nothing is clamped, and each kind of wrong has its own name."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tercast.errors import Refused
from tercast.eventspace.topic import Bool, Enum, Float, Int, String, Topic

TOPIC = Topic(
    "t", 1, (Int("n", -5, 5), Float("x", -1.0, 100.0), Bool("b"), Enum("e", ("lo", "hi")), String("s"))
)
GOOD: dict[str, Any] = {"n": 3, "x": 2.5, "b": True, "e": "hi", "s": "text"}


def refused(**values: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        TOPIC.check({**GOOD, **values}, ("values",))
    return caught.value


def test_values_come_back_in_topic_order() -> None:
    checked = TOPIC.check(dict(reversed(GOOD.items())))
    assert list(checked.items()) == list(GOOD.items())


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("n", None, "wrong_type"),
        ("n", "undefined", "wrong_type"),
        ("n", "null", "wrong_type"),
        ("n", True, "wrong_type"),
        ("n", 3.0, "wrong_type"),
        ("n", "3", "wrong_type"),
        ("n", 6, "out_of_domain"),
        ("n", -(10**4000), "out_of_domain"),
        ("x", True, "wrong_type"),
        ("x", "2.5", "wrong_type"),
        ("x", None, "wrong_type"),
        ("x", math.nan, "out_of_domain"),
        ("x", math.inf, "out_of_domain"),
        ("x", -math.inf, "out_of_domain"),
        ("x", math.nextafter(100.0, 200.0), "out_of_domain"),
        ("x", 10**400, "wrong_type"),
        ("x", 2**53 + 1, "wrong_type"),
        ("b", 1, "wrong_type"),
        ("b", 0.0, "wrong_type"),
        ("b", "true", "wrong_type"),
        ("b", None, "wrong_type"),
        ("e", "mid", "out_of_domain"),
        ("e", 0, "wrong_type"),
        ("e", None, "wrong_type"),
        ("s", None, "wrong_type"),
        ("s", 5, "wrong_type"),
        ("s", "a\0b", "out_of_domain"),
        ("s", "\ud800", "out_of_domain"),
    ],
)
def test_refused_values(name: str, value: Any, code: str) -> None:
    error = refused(**{name: value})
    assert error.code == code
    assert error.path == ("values", name)
    assert str(error).isprintable()
    with pytest.raises(Refused) as caught:
        TOPIC.event_dz({**GOOD, name: value}, 20)
    assert caught.value.code == code


def test_missing_null_and_text_are_distinguished() -> None:
    without = {name: value for name, value in GOOD.items() if name != "s"}
    with pytest.raises(Refused) as caught:
        TOPIC.check(without)
    assert caught.value.code == "missing_attribute"
    assert refused(s=None).code == "wrong_type"
    assert "null" in refused(s=None).detail
    for text in ("null", "undefined", ""):
        assert TOPIC.check({**GOOD, "s": text})["s"] == text


def test_an_additional_attribute_is_refused() -> None:
    error = refused(more=1)
    assert error.code == "unknown_attribute"
    assert error.path == ("values", "more")
    assert "more" in error.detail
    assert "n, x, b, e, s" in error.detail


def test_values_are_an_object() -> None:
    with pytest.raises(Refused) as caught:
        TOPIC.check_json([1, 2], ("values",))
    assert caught.value.code == "wrong_type"


@pytest.mark.parametrize("value", [31.333846775201351, -0.0, 1e-310, 5e-324, 100.0, -1.0])
def test_doubles_stay_what_they_are(value: float) -> None:
    checked = TOPIC.check({**GOOD, "x": value})["x"]
    assert checked == value
    assert math.copysign(1, checked) == math.copysign(1, value)


def test_an_integer_is_a_value_of_a_float_attribute_where_a_double_holds_it() -> None:
    checked = TOPIC.check({**GOOD, "x": 5})["x"]
    assert checked == 5
    assert type(checked) is float


def test_large_integers_travel_as_decimal_strings() -> None:
    topic = Topic("t", 1, (Int("n", -(1 << 70), 1 << 70), Float("x", 0.0, 1.0)))
    assert topic.check_json({"n": str(1 << 69), "x": 1}) == {"n": 1 << 69, "x": 1.0}
    assert topic.check_json({"n": 12, "x": 1}) == {"n": 12, "x": 1.0}
    assert topic.values_json({"n": -(1 << 69), "x": 1.0}) == {"n": str(-(1 << 69)), "x": 1.0}
    assert topic.values_json({"n": 1 << 52, "x": 1.0}) == {"n": 1 << 52, "x": 1.0}
    for wrong in ("1", "-1", "0", "01", "-0", "9007199254740991", "-9007199254740991", "09007199254740992"):
        with pytest.raises(Refused) as caught:
            topic.check_json({"n": wrong, "x": 1.0}, ("values",))
        assert caught.value.code == "wrong_type"
        assert caught.value.path == ("values", "n")
        assert f'"{wrong}"' in caught.value.detail
        assert "2^53-1" in caught.value.detail
    for right in (1 << 53, -(1 << 53)):
        assert topic.check_json({"n": str(right), "x": 1})["n"] == right
    for wrong in ("", "+9007199254740992", "9007199254740992 ", "1.0", "1e3", " 5", "٣", "9" * 1001, "--1"):
        with pytest.raises(Refused):
            topic.check_json({"n": wrong, "x": 1.0})
    with pytest.raises(Refused):
        topic.check_json({"n": 1, "x": "1"})
