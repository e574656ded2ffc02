"""The strict parser: which flaws callers see, and what is read without a function for a flaw."""

import math
from typing import Any

import pytest

from tercast.runtime.json_parser import NumberFlaw, parse_finite, parse_strict, values_by_path

LONG = "9" * 1001


@pytest.mark.parametrize(
    ("number", "flaw"),
    [
        ("NaN", NumberFlaw.NOT_FINITE),
        ("-Infinity", NumberFlaw.NOT_FINITE),
        ("1e400", NumberFlaw.TOO_LARGE),
        ("-1e400", NumberFlaw.TOO_LARGE),
        (LONG, NumberFlaw.TOO_LONG),
    ],
)
def test_a_flawed_number_is_replaced(number: str, flaw: NumberFlaw) -> None:
    assert parse_strict(f'{{"a": [1, {number}]}}', flawed_number=lambda *seen: seen) == {
        "a": [1, (flaw, number)]
    }


@pytest.mark.parametrize("number", ["0", "-7", "1.5", "1e308", LONG[:1000]])
def test_other_numbers_are_read(number: str) -> None:
    value = parse_strict(number, flawed_number=lambda *seen: seen)
    assert value == (int(number) if number.lstrip("-").isdecimal() else float(number))


def test_keys_that_occur_again_are_named_by_their_index() -> None:
    seen = []

    def repeated_keys(members: list[tuple[str, Any]], repeated: list[int]) -> dict[str, Any]:
        seen.append((members, repeated))
        return {}

    text = '{"a": {"x": 1}, "b": {"x": 1, "y": 2, "x": 3, "y": 4, "x": 5}}'
    assert parse_strict(text, repeated_keys=repeated_keys) == {"a": {"x": 1}, "b": {}}
    assert seen == [([("x", 1), ("y", 2), ("x", 3), ("y", 4), ("x", 5)], [2, 3, 4])]


def test_flaws_are_read_as_python_does_without_a_function_for_them() -> None:
    assert parse_strict('{"a": 1, "a": 1e400}') == {"a": math.inf}
    assert math.isnan(parse_strict("NaN"))


def test_finite_json_has_no_constants() -> None:
    assert parse_finite('{"a": [1e400, 1]}') == {"a": [math.inf, 1]}
    with pytest.raises(ValueError, match=r"^Infinity is not a JSON number$"):
        parse_finite('{"a": Infinity}')


def test_values_follow_the_order_of_the_document() -> None:
    found = list(values_by_path({"b": [1, {"c": 2}], "a": 3}))
    assert [path for path, _ in found] == [(), ("b",), ("b", 0), ("b", 1), ("b", 1, "c"), ("a",)]
    assert [value for _, value in found][-2:] == [2, 3]
