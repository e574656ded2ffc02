"""The reader of entries: accepted values in both forms, and the paths of errors."""

from __future__ import annotations

import copy
import ipaddress
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller_app.openflow.flow_entry import RANGES, FlowEntry, FlowKey, Prefix
from controller_app.programming.change_reader import parse_change
from controller_app.programming.entry_reader import EntryReader
from tercast.errors import Path, Refused, RefusedMany

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
    """Draw an object of the right form in which one value may be anything."""
    found = copy.deepcopy(draw(whole))
    if draw(st.booleans()):
        found[draw(st.sampled_from(NAMES))] = draw(items)
    if draw(st.integers(0, 3)) == 0 and found:
        del found[draw(st.sampled_from(sorted(found)))]
    return found


def errors(read: Callable[[Any], object], obj: object) -> list[tuple[Path, str]]:
    """Return the path and the code of each error in an object."""
    try:
        read(obj)
    except Refused as refused:
        return [(refused.path, refused.code)]
    return []


def is_dst(text: str, ranges: tuple[Prefix, ...]) -> bool:
    """Whether the standard library reads a text as a prefix within the ranges."""
    length = text.rpartition("/")[2]
    try:
        network = ipaddress.ip_network(text)
        plain = text.isascii() and "%" not in text and length == str(int(length))
    except ValueError:
        return False
    outer = [ipaddress.ip_network(str(one)) for one in ranges]
    return plain and any(network.version == one.version and network.subnet_of(one) for one in outer)


@pytest.mark.parametrize("ranges", [ALL, NARROW, ALL[:1], ALL[1:], ()])
def test_a_dst_is_a_prefix_within_the_ranges(ranges: tuple[Prefix, ...]) -> None:
    for text in TEXTS:
        found = errors(EntryReader(ranges).entry, {"dst": text, "priority": 18, "actions": []})
        assert (not found) == is_dst(text, ranges), text


@given(damaged(entries) | items, st.sampled_from((ALL, NARROW, ALL[:1])))
def test_any_value_is_an_entry_or_refused(obj: object, ranges: tuple[Prefix, ...]) -> None:
    try:
        entry = EntryReader(ranges).entry(obj)
    except Refused:
        return
    assert isinstance(obj, dict)
    assert entry.to_json().keys() >= obj.keys()
    assert EntryReader(ranges).entry(entry.to_json()) == entry


@given(damaged(keys) | items, st.sampled_from((ALL, NARROW, ALL[:1])))
def test_any_value_is_a_key_or_refused(obj: object, ranges: tuple[Prefix, ...]) -> None:
    reader = EntryReader(ranges)
    row = [obj[name] for name in ("dst", "priority", "in_port") if name in obj] if is_key(obj) else None
    try:
        key = reader.key(obj)
    except Refused as refused:
        assert row is None or errors(reader.key, row) == [(refused.path, refused.code)]
        return
    assert reader.key(key.to_json()) == key
    assert row is None or reader.key(row) == key


def is_key(obj: object) -> bool:
    return isinstance(obj, dict) and {"dst", "priority"} <= obj.keys() <= {"dst", "priority", "in_port"}


GOOD = {"dst": "ff0e:4::/32", "priority": 18, "actions": [{"output": 1}]}
HOST = {"ip": "fd00::1", "mac": "02:00:00:00:00:01"}

MISTAKES: list[tuple[dict[str, object], Path, str]] = [
    ({"other": 1}, ("other",), "unknown_key"),
    ({"other": 1, "in_port": 1}, ("other",), "unknown_key"),
    ({"dst": None}, ("dst",), "wrong_type"),
    ({"dst": "ff0e:4::"}, ("dst",), "not_a_prefix"),
    ({"dst": "ff0e:4::/1234"}, ("dst",), "not_a_prefix"),
    ({"dst": "ff0e:4::/129"}, ("dst",), "bad_length"),
    ({"dst": "ff0e:4::/032"}, ("dst",), "bad_length"),
    ({"dst": "ff0e:4::1/32"}, ("dst",), "host_bits"),
    ({"dst": "10.0.0.0/8"}, ("dst",), "out_of_range"),
    ({"in_port": 0}, ("in_port",), "out_of_range"),
    ({"in_port": 0xFFFFFF01}, ("in_port",), "out_of_range"),
    ({"in_port": True}, ("in_port",), "wrong_type"),
    ({"priority": 1}, ("priority",), "out_of_range"),
    ({"priority": 60001}, ("priority",), "out_of_range"),
    ({"priority": 18.0}, ("priority",), "wrong_type"),
    ({"dst": "x", "in_port": 0, "priority": 1, "actions": 3}, ("dst",), "not_a_prefix"),
    ({"in_port": 0, "priority": 1, "actions": 3}, ("in_port",), "out_of_range"),
    ({"priority": 1, "actions": 3}, ("priority",), "out_of_range"),
    ({"actions": {}}, ("actions",), "wrong_type"),
    ({"actions": [{"output": 1}] * 1001}, ("actions",), "too_many"),
    ({"actions": [{"output": 1}, 7]}, ("actions", 1), "wrong_type"),
    ({"actions": [{}]}, ("actions", 0), "one_of"),
    ({"actions": [{"output": 1, "set_dst": HOST}]}, ("actions", 0), "one_of"),
    ({"actions": [{"send": 1}]}, ("actions", 0, "send"), "unknown_key"),
    ({"actions": [{"output": "1"}]}, ("actions", 0, "output"), "wrong_type"),
    ({"actions": [{"output": 0}]}, ("actions", 0, "output"), "out_of_range"),
    ({"actions": [{"set_dst": None}]}, ("actions", 0, "set_dst"), "wrong_type"),
    ({"actions": [{"set_dst": {"ip": "fd00::1"}}]}, ("actions", 0, "set_dst", "mac"), "missing_key"),
    ({"actions": [{"set_dst": {**HOST, "ip": 1}}]}, ("actions", 0, "set_dst", "ip"), "wrong_type"),
    (
        {"actions": [{"set_dst": {**HOST, "ip": "10.0.0.1"}}]},
        ("actions", 0, "set_dst", "ip"),
        "not_an_address",
    ),
    ({"actions": [{"set_dst": {**HOST, "ip": "ff02::1"}}]}, ("actions", 0, "set_dst", "ip"), "not_a_host"),
    ({"actions": [{"set_dst": {**HOST, "mac": []}}]}, ("actions", 0, "set_dst", "mac"), "wrong_type"),
    ({"actions": [{"set_dst": {**HOST, "mac": "2:0:0"}}]}, ("actions", 0, "set_dst", "mac"), "not_a_mac"),
    ({"actions": [{"set_dst": {"ip": "x", "mac": 1}}]}, ("actions", 0, "set_dst", "ip"), "not_an_address"),
    ({"actions": [{"output": 1}, {"set_dst": HOST}]}, ("actions",), "no_output"),
]


@pytest.mark.parametrize(("wrong", "path", "code"), MISTAKES)
def test_the_first_mistake_of_an_entry_is_named_with_its_place(
    wrong: dict[str, object], path: Path, code: str
) -> None:
    obj = {**GOOD, **wrong}
    reader = EntryReader(ALL)
    assert errors(reader.entry, obj) == [(path, code)]
    if "other" in obj:
        return
    row = [obj["dst"], obj["priority"], 0, *([obj["in_port"]] if "in_port" in obj else [])]
    assert errors(reader.row_reader([obj["actions"]]), row) == [(path, code)]


def test_a_good_entry_has_no_mistake() -> None:
    assert not errors(EntryReader(ALL).entry, GOOD)
    assert [missing for missing in GOOD if not errors(EntryReader(ALL).entry, _without(missing))] == []


def _without(name: str) -> dict[str, object]:
    return {key: value for key, value in GOOD.items() if key != name}


@pytest.mark.parametrize(
    ("row", "path", "code"),
    [
        (["ff0e:4::/32", 18], (), "bad_length"),
        (["ff0e:4::/32", 18, 0, 1, 1], (), "bad_length"),
        (["x", 18, 1], (2,), "out_of_range"),
        (["x", 18, True], (2,), "wrong_type"),
        (["x", 18, 0], ("dst",), "not_a_prefix"),
        ("text", (), "wrong_type"),
        (GOOD, (), "wrong_type"),
    ],
)
def test_a_row_has_three_or_four_values_and_an_index(row: object, path: Path, code: str) -> None:
    assert errors(EntryReader(ALL).row_reader([[]]), row) == [(path, code)]


def test_lists_of_actions_are_read_for_the_family_of_each_row() -> None:
    read = EntryReader(ALL).row_reader([[{"set_dst": HOST}, {"output": 1}]])
    assert len(read(["ff0e:4::/32", 18, 0]).actions) == 2
    assert errors(read, ["225.129.0.0/16", 18, 0]) == [(("actions", 0, "set_dst", "ip"), "not_an_address")]


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
    """Return the change of one switch, or its errors without their paths."""
    body = {"id": "x", "switches": [{"dpid": "0000000000000001", **part}]}
    try:
        return parse_change(body, ALL)
    except RefusedMany as refused:
        return [(error.code, error.detail) for error in refused.errors]


def test_a_row_is_the_key_that_an_object_says() -> None:
    reader = EntryReader(ALL)
    prefix = Prefix.parse("ff0e:4::/32")
    assert reader.key(["ff0e:4::/32", 18]) == reader.key({"dst": "ff0e:4::/32", "priority": 18})
    assert reader.key(["ff0e:4::/32", 18, 3]) == FlowKey(prefix, 3, 18)
    assert reader.key({"dst": "ff0e:4::/32", "priority": 18, "in_port": 3}) == FlowKey(prefix, 3, 18)
    assert reader.row_reader([[]])(["ff0e:4::/32", 18, 0, 3]) == FlowEntry(FlowKey(prefix, 3, 18), ())


def test_mistakes_have_their_place_in_the_change() -> None:
    compact = {"actions": [[{"output": 0}]], "entries": [["ff0e:4::/32", 18, 0], ["x", 18, 0]]}
    part = {"add": [GOOD, {**GOOD, "priority": 1}], "modify": compact, "remove": [["ff0e:4::/32", 1]]}
    body = {"id": "x", "switches": [{"dpid": "0000000000000001", **part}]}
    with pytest.raises(RefusedMany) as refused:
        parse_change(body, ALL)
    switch = ("switches", 0)
    assert [error.path for error in refused.value.errors] == [
        (*switch, "add", 1, "priority"),
        (*switch, "modify", "entries", 0, "actions", 0, "output"),
        (*switch, "modify", "entries", 1, "dst"),
        (*switch, "remove", 0, "priority"),
    ]
