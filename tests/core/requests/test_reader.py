"""Requests are read strictly: every kind from its JSON object, and every error with its place."""

import pytest

from tercast.errors import Refused, RefusedMany
from tercast.requests import kinds
from tercast.requests.model import Advertise, SetBudget, Subscribe, Unsubscribe
from tercast.requests.reader import read_or_refusal, read_request

ADVERTISE = {"op": "advertise", "id": "a1", "host": "h1", "topic": "quotes", "filter": "low < 512"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (ADVERTISE, Advertise("a1", "h1", "quotes", "low < 512")),
        ({**ADVERTISE, "op": "subscribe", "id": "q1"}, Subscribe("q1", "h1", "quotes", "low < 512")),
        ({"op": "unsubscribe", "id": "q1"}, Unsubscribe("q1")),
        ({"op": "set_budget", "switch": "s1", "tcam_budget": None}, SetBudget("s1", None)),
        ({"op": "set_budget", "switch": "s1", "tcam_budget": 7}, SetBudget("s1", 7)),
    ],
)
def test_a_request_is_read(given, expected):
    assert read_request(given) == expected
    assert read_or_refusal(given) == expected
    assert read_or_refusal(expected) is expected


@pytest.mark.parametrize(
    ("given", "path", "code"),
    [
        ({}, ("op",), "missing_key"),
        ({"op": "fly"}, ("op",), "unknown_operation"),
        ({"op": ["advertise"]}, ("op",), "unknown_operation"),
        ({**ADVERTISE, "id": ""}, ("id",), None),
        ({**ADVERTISE, "host": 7}, ("host",), None),
        ({**ADVERTISE, "colour": "red"}, ("colour",), None),
        ({"op": "unsubscribe"}, ("id",), "missing_key"),
        ({"op": "set_budget", "switch": "s1", "tcam_budget": -1}, ("tcam_budget",), None),
    ],
)
def test_an_error_has_its_place(given, path, code):
    with pytest.raises((Refused, RefusedMany)) as caught:
        read_request(given, ("requests", 3))
    refused = getattr(caught.value, "errors", [caught.value])[0]
    assert refused.path == ("requests", 3, *path)
    assert code is None or refused.code == code
    assert read_or_refusal(given).path == path


def test_a_scenario_has_no_encodings_and_no_parts_of_the_network():
    with pytest.raises((Refused, RefusedMany)):
        read_request({**ADVERTISE, "dz": ["01"]}, platform=False)
    removal = {"op": kinds.REMOVE_SWITCH, "switch": "s1"}
    assert read_request(removal)
    with pytest.raises(Refused) as caught:
        read_request(removal, platform=False)
    assert caught.value.code == "unknown_operation"
