"""Addresses of dz in both families, and what is refused as a plan or as an address."""

from __future__ import annotations

import ipaddress
import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.errors import Refused
from tercast.eventspace import dz
from tercast.eventspace.address_plan import SIGNALLING, AddressPlan, multicast_mac


@pytest.mark.parametrize(
    ("family", "prefix", "word", "match"),
    [
        ("ipv6", "ff0e::/16", "101101", "ff0e:b400::/22"),
        ("ipv6", "ff0e::/16", "101", "ff0e:a000::/19"),
        ("ipv4", "225.128.0.0/9", "001", "225.144.0.0/12"),
        ("ipv4", "225.128.0.0/9", "00101", "225.148.0.0/14"),
    ],
)
def test_worked_cases(family: str, prefix: str, word: str, match: str) -> None:
    plan = AddressPlan(family, prefix, 0)
    assert plan.match(0, dz.parse(word)) == match
    assert plan.parse_match(match) == (0, dz.parse(word))


def test_topic_code_stands_before_the_dz() -> None:
    plan = AddressPlan.default("ipv6")
    assert (plan.room, plan.dz_room) == (112, 96)
    assert plan.match(4, dz.parse("000101")) == "ff0e:4:1400::/38"
    assert plan.match(4, dz.WHOLE) == "ff0e:4::/32"
    four = AddressPlan.default("ipv4")
    assert (four.room, four.dz_room) == (23, 23)
    assert four.match(0, dz.WHOLE) == "225.128.0.0/9"


@st.composite
def plans(draw: st.DrawFn) -> AddressPlan:
    family, prefix = draw(
        st.sampled_from([("ipv6", "ff0e::/16"), ("ipv6", "ff38:40::/32"), ("ipv4", "225.128.0.0/9")])
    )
    room = AddressPlan(family, prefix, 0).room
    return AddressPlan(family, prefix, draw(st.integers(0, room - 1)))


@given(st.data())
def test_round_trip_and_canonical_text(data: st.DataObject) -> None:
    plan = data.draw(plans())
    code = data.draw(st.integers(0, (1 << plan.topic_bits) - 1))
    cell = dz.parse(data.draw(st.text("01", max_size=plan.dz_room)))
    match, address = plan.match(code, cell), plan.event_address(code, cell)
    assert match == str(ipaddress.ip_network(match))
    assert address == str(ipaddress.ip_address(address))
    assert ipaddress.ip_address(address) in ipaddress.ip_network(match)
    assert plan.parse_match(match) == (code, cell)
    padded = cell << plan.dz_room - dz.length(cell)
    assert plan.parse_event_address(address) == (code, padded)


@given(st.data())
def test_a_rule_matches_the_events_that_its_dz_covers(data: st.DataObject) -> None:
    plan = data.draw(plans())
    cell = dz.parse(data.draw(st.text("01", max_size=min(plan.dz_room, 8))))
    event = dz.parse(data.draw(st.text("01", min_size=min(plan.dz_room, 8), max_size=plan.dz_room)))
    inside = ipaddress.ip_address(plan.event_address(0, event)) in ipaddress.ip_network(plan.match(0, cell))
    assert inside == dz.covers(cell, event)


@pytest.mark.parametrize(
    ("address", "path", "code"),
    [
        ({"family": "ipv5", "prefix": "ff0e::/16"}, "address.family", "unknown_family"),
        ({"family": "ipv6", "prefix": "fd00::/16"}, "address.prefix", "not_multicast"),
        ({"family": "ipv4", "prefix": "10.0.0.0/8"}, "address.prefix", "not_multicast"),
        ({"family": "ipv4", "prefix": "225.0.0.0/8"}, "address.prefix", "holds_signalling"),
        ({"family": "ipv6", "prefix": "ff1e::/16"}, "address.prefix", "holds_signalling"),
        ({"family": "ipv6", "prefix": "225.128.0.0/9"}, "address.prefix", "not_a_prefix"),
        ({"family": "ipv6", "prefix": "ff0e::1/16"}, "address.prefix", "host_bits"),
        ({"family": "ipv4", "prefix": "225.128.0.0/255.128.0.0"}, "address.prefix", "not_a_prefix"),
        ({"family": "ipv6", "prefix": "ff0e::/16%1"}, "address.prefix", "not_a_prefix"),
        ({"family": "ipv4", "prefix": "225.128.0.0/32"}, "address.prefix", "no_room"),
        (
            {"family": "ipv4", "prefix": "225.128.0.0/9", "topic_bits": 23},
            "address.topic_bits",
            "out_of_range",
        ),
        (
            {"family": "ipv4", "prefix": "225.128.0.0/9", "topic_bits": -1},
            "address.topic_bits",
            "out_of_range",
        ),
        (
            {"family": "ipv4", "prefix": "225.128.0.0/9", "topic_bits": True},
            "address.topic_bits",
            "wrong_type",
        ),
        ({"family": "ipv6", "prefix": 5}, "address.prefix", "wrong_type"),
        ({"family": "ipv6"}, "address.prefix", "missing_key"),
        ({"family": "ipv6", "prefix": "ff0e::/16", "bits": 3}, "address.bits", "unknown_key"),
        ([], "address", "wrong_type"),
    ],
)
def test_plans_that_are_refused(address: object, path: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        AddressPlan.from_json(address, ("address",))
    assert caught.value.code == code
    assert str(caught.value).startswith(f"{path}: ")


def test_json_round_trip_and_defaults() -> None:
    plan = AddressPlan.from_json({"family": "ipv6", "prefix": "FF0E:0::/16"})
    assert plan == AddressPlan.default("ipv6")
    assert AddressPlan.from_json(plan.to_json()) == plan
    assert AddressPlan.from_json({"family": "ipv4", "prefix": "225.128.0.0/9"}) == AddressPlan.default("ipv4")
    assert pickle.loads(pickle.dumps(plan)).match(1, 0b101) == plan.match(1, 0b101)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ff0d:4::/32", "foreign_address"),
        ("ff0e::/15", "foreign_address"),
        ("ff0e::/20", "too_short"),
        ("ff00::/8", "foreign_address"),
        ("225.128.0.0/9", "not_a_prefix"),
        ("ff0e:4::1/32", "host_bits"),
        ("nonsense", "not_a_prefix"),
        (None, "not_a_prefix"),
    ],
)
def test_matches_that_are_refused(text: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        AddressPlan.default("ipv6").parse_match(text)
    assert caught.value.code == code


@given(st.data())
def test_both_ways_to_read_a_match_agree(data: st.DataObject) -> None:
    """The fast reader returns None or the result of the other reader, also for almost valid texts."""
    plan = data.draw(plans())
    word = data.draw(st.text("01", max_size=plan.dz_room))
    text = plan.match(data.draw(st.integers(0, (1 << plan.topic_bits) - 1)), dz.parse(word))
    for _ in range(data.draw(st.integers(0, 2))):
        i = data.draw(st.integers(0, len(text)))
        text = (
            text[:i]
            + data.draw(st.sampled_from(["", "0", "1", ":", "::", "/", "f", " ", ".", "%"]))
            + text[i + 1 :]
        )
    quick = plan._quick_match(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AddressPlan, "_quick_match", lambda *_: None)
        try:
            slow = plan.parse_match(text)
        except Refused:
            slow = None
    assert quick in (None, slow)
    assert quick is not None or slow is None or "/" not in text


def test_codes_and_dz_beyond_the_room_are_refused() -> None:
    plan = AddressPlan.default("ipv4")
    for code, cell, kind in ((1, dz.WHOLE, "code_out_of_range"), (-1, dz.WHOLE, "code_out_of_range")):
        with pytest.raises(Refused) as caught:
            plan.match(code, cell)
        assert caught.value.code == kind
    with pytest.raises(Refused) as caught:
        plan.event_address(0, dz.parse("0" * 24))
    assert caught.value.code == "dz_too_long"
    with pytest.raises(Refused):
        plan.parse_event_address("225.128.0.0/9")


def test_bare_address_is_the_longest_prefix() -> None:
    plan = AddressPlan("ipv4", "225.128.0.0/9", 0)
    cell = dz.parse("1" * 23)
    assert plan.match(0, cell) == "225.255.255.255/32"
    assert plan.parse_match("225.255.255.255") == (0, cell)


def test_signalling_is_outside_the_ranges() -> None:
    for family, address in SIGNALLING.items():
        assert ipaddress.ip_address(address) not in ipaddress.ip_network(AddressPlan.default(family).prefix)


def test_multicast_macs() -> None:
    assert multicast_mac("225.128.1.2") == "01:00:5e:00:01:02"
    assert multicast_mac("225.255.1.2") == "01:00:5e:7f:01:02"
    assert multicast_mac("ff0e:4:1400::89ab:cdef") == "33:33:89:ab:cd:ef"
    with pytest.raises(Refused):
        multicast_mac("10.0.0.1")


def test_refusals_show_a_valid_prefix() -> None:
    for prefix, words in [
        (
            "fd00::/16",
            '"fd00::/16" is not a multicast prefix; use a prefix in ff00::/8, for example',
        ),
        ("x", '"x" is not an IPv6 prefix; write it like ff0e::/16'),
    ]:
        with pytest.raises(Refused, match=re.escape(words)):
            AddressPlan.from_json({"family": "ipv6", "prefix": prefix}, ("address",))
