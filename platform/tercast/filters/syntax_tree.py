"""The syntax tree of a filter, its canonical text, and its exact matcher."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tercast.eventspace.attribute import Attribute
from tercast.eventspace.counted_attributes import Enum
from tercast.eventspace.intervals import IntervalSet, complement
from tercast.eventspace.string_attribute import String
from tercast.filters.number_literals import Number, number_text

Literal: TypeAlias = Number | str | bool
Matcher = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Compare:
    """`attribute op value`: the attribute by position in the topic, `op` = != < <= > or >=."""

    attribute: int
    op: str
    value: Literal


@dataclass(frozen=True, slots=True)
class Between:
    """`attribute in [low, high]`, or `[low, high)` when not `closed`."""

    attribute: int
    low: Number
    high: Number
    closed: bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """`attribute in (values)`."""

    attribute: int
    values: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Begins:
    """`attribute prefix value`."""

    attribute: int
    value: str


@dataclass(frozen=True, slots=True)
class Not:
    """Condition that is true if `inner` is false."""

    inner: Tree


@dataclass(frozen=True, slots=True)
class And:
    """Condition that is true if all parts are true; without parts, it is always true."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Condition that is true if any part is true."""

    parts: tuple[Tree, ...]


Test: TypeAlias = Compare | Between | OneOf | Begins
Tree: TypeAlias = Compare | Between | OneOf | Begins | Not | And | Or

EVERYTHING = And(())

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def interval_set(test: Test, attribute: Attribute) -> IntervalSet:
    """The part of the attribute's domain for which a test is true."""
    match test:
        case Compare():
            return attribute.compare(test.op, test.value)
        case Between():
            return attribute.between(test.low, test.high, test.closed)
        case OneOf():
            return attribute.one_of(test.values)
        case Begins():
            assert isinstance(attribute, String)
            return attribute.beginning_with(test.value)


def excluded_set(test: Test, attribute: Attribute) -> IntervalSet:
    """The part of the attribute's domain for which the opposite of a test is true.

    It is the complement of the test's part, except where texts share a point: a point with texts that pass
    and texts that fail is in both.
    """
    if isinstance(attribute, String):
        match test:
            case Compare():
                return attribute.compare(_OPPOSITE[test.op], test.value)
            case OneOf():
                return attribute.none_of(test.values)
            case Begins():
                return attribute.not_beginning_with(test.value)
    return complement(interval_set(test, attribute), attribute.domain)


def tree_text(tree: Tree, attributes: Sequence[Attribute]) -> str:
    """The canonical text of a tree; it parses to an equal tree."""
    match tree:
        case And(()):
            return "true"
        case And(parts):
            return " and ".join(_within(part, attributes, Or) for part in parts)
        case Or(parts):
            return " or ".join(tree_text(part, attributes) for part in parts)
        case Not(inner):
            return "not " + _within(inner, attributes, (And, Or))
        case _:
            return f"{attributes[tree.attribute].name} {_test_text(tree)}"


def _within(tree: Tree, attributes: Sequence[Attribute], looser: type | tuple[type, ...]) -> str:
    text = tree_text(tree, attributes)
    return f"({text})" if isinstance(tree, looser) else text


def _test_text(test: Test) -> str:
    match test:
        case Compare():
            return f"{test.op} {literal_text(test.value)}"
        case Between():
            end = "]" if test.closed else ")"
            return f"in [{literal_text(test.low)}, {literal_text(test.high)}{end}"
        case OneOf():
            return f"in ({', '.join(map(literal_text, test.values))})"
        case Begins():
            return f"prefix {literal_text(test.value)}"


def literal_text(value: Literal) -> str:
    """A value in the syntax of the filter language."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return number_text(value)


def matcher(tree: Tree, attributes: Sequence[Attribute]) -> Matcher:
    """Return a function that evaluates the tree on checked values (see `Topic.check`)."""
    match tree:
        case And(parts):
            return _all_of([matcher(part, attributes) for part in parts])
        case Or(parts):
            some = [matcher(part, attributes) for part in parts]
            return lambda values: any(part(values) for part in some)
        case Not(inner):
            negated = matcher(inner, attributes)
            return lambda values: not negated(values)
        case _:
            return _test_matcher(tree, attributes[tree.attribute])


def _all_of(parts: list[Matcher]) -> Matcher:
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        first, second = parts
        return lambda values: first(values) and second(values)
    return lambda values: all(part(values) for part in parts)


def _test_matcher(test: Test, attribute: Attribute) -> Matcher:
    name = attribute.name
    match test:
        case Compare(_, op, value) if isinstance(attribute, Enum):
            place = attribute.key(value)
            holds = frozenset(v for i, v in enumerate(attribute.values) if _OPERATORS[op](i, place))
            return lambda values: values[name] in holds
        case Compare(_, op, value):
            compare = _OPERATORS[op]  # str compares by code point, as UTF-8 bytes do
            return lambda values: compare(values[name], value)
        case Between(_, low, high, True):
            return lambda values: bool(low <= values[name] <= high)
        case Between(_, low, high, _):
            return lambda values: bool(low <= values[name] < high)
        case OneOf(_, some):
            listed = frozenset(some)
            return lambda values: values[name] in listed
        case Begins(_, beginning):
            return lambda values: bool(values[name].startswith(beginning))
