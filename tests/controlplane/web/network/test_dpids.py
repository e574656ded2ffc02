"""Datapath ids are 16 hexadecimal digits as text in every call; any other form is a 400."""

import json

import pytest

from controlplane.network.models import Switch

GOOD = [
    ("0000000000000001", "0000000000000001"),
    ("00:00:00:00:00:00:00:01", "0000000000000001"),
    ("00000000000000AB", "00000000000000ab"),
    ("8000000000000000", "8000000000000000"),
    ("ffffffffffffffff", "ffffffffffffffff"),
    ("FF:FF:FF:FF:FF:FF:FF:FF", "ffffffffffffffff"),
]

BAD = [
    "1",
    "0x1",
    "000001",
    "0x0000000000000001",
    "0000000000000000",
    "00:00:00:00:00:00:00:00",
    "0:0:0:0:0:0:0:1",
    "00-00-00-00-00-00-00-01",
    "000000000000000g",
    "00000000000000001",
    "10000000000000000",
    "f" * 300,
    "٠" * 16,
    "0000000000000001\n",
    " 000000000000001",
    "-000000000000001",
    "s1",
    "",
    None,
    True,
    False,
    1,
    0,
    -1,
    2**63,
    2**64 - 1,
    2**64,
    2**80,
    1.0,
    [],
    {},
]


@pytest.mark.parametrize("given, kept", GOOD)
def test_a_dpid_round_trips_as_16_hex_digits(operator, given, kept):
    answer = operator.post("switches/", {"name": "s1", "dpid": given})
    assert answer.status_code == 202
    shown = json.loads(operator.get(answer.json()["object"]["url"]).content)
    assert shown["dpid"] == kept == Switch.objects.get().dpid
    assert [r["dpid"] for r in operator.get(f"switches/?dpid={kept}").json()["results"]] == [kept]


@pytest.mark.parametrize("given", BAD)
def test_anything_else_is_refused(operator, error, given):
    found = error(operator.post("switches/", {"name": "s1", "dpid": given}))
    assert found["pointer"] == "/dpid" and found["detail"]
    assert not Switch.objects.exists()


def test_a_missing_one_is_not_made_from_the_name(operator, error):
    assert error(operator.post("switches/", {"name": "s1"}))["code"] == "required"


def test_an_invalid_number_is_shown_with_its_text(operator, error):
    found = error(operator.post("switches/", {"name": "s1", "dpid": 2**64 - 1}))
    assert '"ffffffffffffffff"' in found["detail"]


def test_two_forms_of_one_dpid_are_one(operator, error):
    operator.post("switches/", {"name": "P0A0", "dpid": "00000000000000a0"})
    found = error(operator.post("switches/", {"name": "P0E0", "dpid": "00:00:00:00:00:00:00:A0"}))
    assert found["code"] == "not_unique" and "switch P0A0" in found["detail"]


def test_equal_dpids_within_a_list_are_found(operator, pointers):
    items = [{"name": "ss1", "dpid": "0000000000000001"}, {"name": "cs1", "dpid": "0000000000000001"}]
    assert pointers(operator.post("switches/", items)) == [(1, "/dpid", "not_unique")]
