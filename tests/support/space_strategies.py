"""Hypothesis strategies for topics, filters and events."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace.string_attribute import POINT_BYTES
from tercast.eventspace.topic import Attribute, Bool, Enum, Float, Int, String, Topic
from tercast.filters.filter import Filter
from tercast.filters.syntax_tree import And, Begins, Between, Compare, Not, OneOf, Or, Tree

OPS = ("=", "!=", "<", "<=", ">", ">=")
TEXTS = (
    "",
    "a",
    "ab",
    "b",
    "é",
    "abcdefghijklmno",
    "abcdefghijklmnop",
    "abcdefghijklmnopq",
    "abcdefghijklmnoq",
)


@st.composite
def attributes(draw: st.DrawFn, name: str, kinds: tuple[str, ...]) -> Attribute:
    match draw(st.sampled_from(kinds)):
        case "int":
            low = draw(st.integers(-9, 9))
            return Int(name, low, low + draw(st.integers(0, 12)))
        case "float":
            low = draw(st.sampled_from([0.0, -1.5, 0.1, 1e-310]))
            return Float(name, low, low + draw(st.sampled_from([1.0, 3.0, 0.7, 100.0])))
        case "bool":
            return Bool(name)
        case "enum":
            return Enum(name, tuple("vwxyzst"[: draw(st.integers(1, 7))]))
        case _:
            return String(name)


@st.composite
def topics(
    draw: st.DrawFn, kinds: tuple[str, ...] = ("int", "int", "float", "bool", "enum", "string")
) -> Topic:
    count = draw(st.integers(1, 4))
    parts = tuple(draw(attributes(f"a{i}", kinds)) for i in range(count))
    chosen = (
        draw(st.lists(st.sampled_from(range(count)), min_size=1, unique=True)) if draw(st.booleans()) else []
    )
    return Topic("t", 1, parts, tuple(f"a{i}" for i in chosen))


def _is_short(value: Any) -> bool:
    """Whether a value can be that of a cut; a longer text is refused."""
    return not isinstance(value, str) or len(value.encode()) <= POINT_BYTES


@st.composite
def cut_topics(
    draw: st.DrawFn, kinds: tuple[str, ...] = ("int", "int", "float", "bool", "enum", "string")
) -> Topic:
    """Draw a topic with up to seven cuts, at values that events and filters of the other strategies use."""
    topic = draw(topics(kinds))
    nodes: list[Any] = [draw(st.integers(0, 3))]
    for _ in range(draw(st.integers(1, 7))):
        leaf = draw(st.sampled_from([n for n, node in enumerate(nodes) if isinstance(node, int)]))
        attribute = draw(st.sampled_from(topic.attributes))
        value = draw(values(attribute).filter(_is_short))
        wider = [*nodes[:leaf], [attribute.name, value], draw(st.integers(0, 3)), draw(st.integers(0, 3))]
        try:
            topic.with_cuts([*wider, *nodes[leaf + 1 :]])
        except Refused as refused:
            assert refused.code == "useless_cut"
        else:
            nodes = [*wider, *nodes[leaf + 1 :]]
    return topic.with_cuts(nodes if len(nodes) > 1 else [])


def literals(attribute: Attribute) -> st.SearchStrategy[Any]:
    match attribute:
        case Int():
            near = st.integers(attribute.min - 2, attribute.max + 2)
            return near | near.map(lambda n: n + 0.5)
        case Float():
            span = attribute.max - attribute.min
            eighths = st.integers(-1, 9).map(lambda n: attribute.min + span * n / 8)
            return eighths | st.floats(attribute.min, attribute.max) | st.integers(-2, 4)
        case Bool():
            return st.booleans()
        case Enum():
            return st.sampled_from(attribute.values)
        case _:
            return st.sampled_from(TEXTS)


@st.composite
def single_tests(draw: st.DrawFn, topic: Topic) -> Tree:
    i = draw(st.sampled_from(range(len(topic.attributes))))
    attribute = topic.attributes[i]
    value = literals(attribute)
    numeric = attribute.kind in ("int", "float")
    forms = ["compare", "compare", "one_of", "between" if numeric else "compare"]
    if attribute.kind == "string":
        forms.append("begins")
    match draw(st.sampled_from(forms)):
        case "between":
            return Between(i, draw(value), draw(value), draw(st.booleans()))
        case "one_of":
            return OneOf(i, tuple(draw(st.lists(value, min_size=1, max_size=3))))
        case "begins":
            return Begins(i, draw(value))
        case _:
            return Compare(i, draw(st.sampled_from(OPS)), draw(value))


def _flat(kind: type[And] | type[Or], parts: list[Tree]) -> Tree:
    flat = [p for part in parts for p in (part.parts if isinstance(part, kind) else (part,))]
    return kind(tuple(flat))


def trees(topic: Topic) -> st.SearchStrategy[Tree]:
    def wider(inner: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        several = st.lists(inner, min_size=2, max_size=3)
        return (
            several.map(lambda parts: _flat(And, parts))
            | several.map(lambda parts: _flat(Or, parts))
            | inner.map(lambda part: part.inner if isinstance(part, Not) else Not(part))
        )

    return st.recursive(single_tests(topic), wider, max_leaves=6)


@st.composite
def filters(draw: st.DrawFn, topic: Topic) -> Filter:
    """Draw a filter that can match an event."""
    for _ in range(20):
        try:
            return Filter(topic, draw(trees(topic)))
        except Refused as refused:
            assert refused.code == "matches_nothing"
    return Filter.everything(topic)


def values(attribute: Attribute) -> st.SearchStrategy[Any]:
    match attribute:
        case Int():
            return st.integers(attribute.min, attribute.max)
        case Float():
            span = attribute.max - attribute.min
            eighths = st.integers(0, 8).map(lambda n: min(attribute.max, attribute.min + span * n / 8))
            return st.floats(attribute.min, attribute.max) | eighths
        case Bool():
            return st.booleans()
        case Enum():
            return st.sampled_from(attribute.values)
        case _:
            long = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
            return st.sampled_from(TEXTS) | long


def events(topic: Topic) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({attribute.name: values(attribute) for attribute in topic.attributes})
