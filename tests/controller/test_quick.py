"""The quick reader says what the strict one says, or nothing."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.openflow.flow_entry import RANGES, Prefix, parse_entry, parse_key
from controller_app.programming.change_request import parse_change
from controller_app.programming.fast_entry_reader import FastEntryReader
from tercast.errors import Refused, RefusedMany

ALL = tuple(RANGES.values())
NARROW = (Prefix.parse("ff0e:4::/32"), Prefix.parse("ff0e::/18"), RANGES["ipv4"])
NAMES = ("dst", "in_port", "priority", "actions", "output", "set_dst", "ip", "mac", "other")

TEXTS = (
        *("ff0e:4::/32", "ff0e:4::/032", "ff0e::/16", "ff0e::/8", "ff0e:4::1/32", "ff0e:4::1/128", "::/0"),
        *("225.128.0.0/9", "225.129.0.0/16", "225.129.0.0/33", "10.0.0.1", "fd00::1", "ff02::1", "0.0.0.0"),
        *("02:00:00:00:00:01", "03:00:00:00:00:01", "in_port", "FF0E:4::/32", "ff0e:4::%1/32", "ff0e::\0/16"),
        *("ff0e:4:0:0::/64", "225.128.0.9/32", " ff0e::/16", "ff0e::/16 ", "ff0e::/+16", "ff0e::/١٦"),
        *("", "/"),
)  # fmt: skip
texts = st.sampled_from(TEXTS)
values = st.none() | st.booleans() | st.integers(-1, 70000) | st.floats(0, 9) | texts | st.just(1 << 40)
items = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=6,
)
actions = st.lists(
    st.fixed_dictionaries({"output": st.integers(1, 9) | st.just("in_port")})
    | st.fixed_dictionaries(
        {"set_dst": st.fixed_dictionaries({"ip": texts, "mac": st.just("02:00:00:00:00:01") | texts})}
    ),
    max_size=4,
)
fields = {"dst": texts, "priority": st.integers(0, 60001)}
optional = {"in_port": st.none() | st.integers(0, 9)}
keys = st.fixed_dictionaries(fields, optional=optional)
entries = st.fixed_dictionaries({**fields, "actions": actions}, optional=optional)


@st.composite
def damaged(draw, whole):
    """A thing of the right form in which one place may hold anything."""
    found = copy.deepcopy(draw(whole))
    if draw(st.booleans()):
        found[draw(st.sampled_from(NAMES))] = draw(items)
    if draw(st.integers(0, 3)) == 0 and found:
        del found[draw(st.sampled_from(sorted(found)))]
    return found


def strictly(parse, obj: object, ranges: tuple[Prefix, ...]):
    try:
        return parse(obj, (), ranges)
    except Refused:
        return None


@given(damaged(entries) | items, st.sampled_from((ALL, NARROW, ALL[:1])))
def test_an_entry_read_quickly_is_the_one_read_strictly(obj: object, ranges: tuple[Prefix, ...]) -> None:
    assert FastEntryReader(ranges).entry(obj) in (None, strictly(parse_entry, obj, ranges))


@pytest.mark.parametrize("ranges", [ALL, NARROW, ALL[:1], ALL[1:], ()])
def test_every_text_is_a_dst_for_both_or_for_none(ranges: tuple[Prefix, ...]) -> None:
    for text in TEXTS:
        obj = {"dst": text, "priority": 18, "actions": []}
        assert FastEntryReader(ranges).entry(obj) == strictly(parse_entry, obj, ranges), text


@given(damaged(keys) | items, st.sampled_from((ALL, NARROW, ALL[:1])))
def test_a_key_read_quickly_is_the_one_read_strictly(obj: object, ranges: tuple[Prefix, ...]) -> None:
    assert FastEntryReader(ranges).key(obj) in (None, strictly(parse_key, obj, ranges))


@given(st.lists(entries, max_size=4), st.lists(keys, max_size=4))
def test_the_compact_form_says_what_the_long_one_says(added: list[dict], removed: list[dict]) -> None:
    lists = [obj["actions"] for obj in added]
    rows = [[*_row(obj), n, *_port(obj)] for n, obj in enumerate(added)]
    compact = {"add": {"actions": lists, "entries": rows}, "remove": [[*_row(o), *_port(o)] for o in removed]}
    assert _change(compact) == _change({"add": added, "remove": removed})


def _row(obj: dict) -> list[object]:
    return [obj["dst"], obj["priority"]]


def _port(obj: dict) -> list[object]:
    return [obj["in_port"]] if "in_port" in obj else []


def _change(part: dict) -> object:
    """The change of one switch, or the mistakes in it without their places."""
    body = {"id": "x", "switches": [{"dpid": "0000000000000001", **part}]}
    try:
        return parse_change(body, ALL)
    except RefusedMany as refused:
        return [(error.code, error.detail) for error in refused.errors]


@given(entries)
def test_what_is_plainly_right_is_read_quickly(obj: dict) -> None:
    assert FastEntryReader(ALL).entry(obj) == strictly(parse_entry, obj, ALL)
