"""Refusals list all errors of a body: those of its fields, and those that need the database."""

import pytest

from controlplane.network.models import Switch

CASES = [
    ("topics/", {"name": "a", "attributes": [7], "indexed": ["b"]}, "attributes/0:wrong_type"),
    ("topics/", {"name": "my topic", "attributes": []}, "name:bad_name attributes:bad_count"),
    (
        "topics/",
        {"name": "quotes", "attributes": "x", "indexed": [], "code": 3},
        "name:not_unique attributes:wrong_type indexed:empty code:bad_code",
    ),
    (
        "topics/",
        {
            "name": "a b",
            "attributes": [
                {"name": "9", "type": "int", "min": 5, "max": 1, "step": 2},
                {"name": "e", "type": "enum", "values": ["v", 1, "v"]},
                {"name": "e", "type": "date"},
                {"name": "f", "type": "float", "min": True},
            ],
            "indexed": ["e", "g", 1, "e"],
        },
        "name:bad_name attributes/0/step:unknown_key attributes/0/name:bad_name attributes/0/min:bad_domain"
        " attributes/1/values/1:wrong_type attributes/1/values/2:duplicate attributes/2/type:unknown_type"
        " attributes/2/name:duplicate attributes/3/max:missing_key"
        " attributes/3/min:wrong_type indexed/1:unknown_attribute indexed/2:wrong_type indexed/3:duplicate",
    ),
    (
        "hosts/",
        {"name": "h 9", "switch": "ghost", "port": -1, "ip": "x", "mac": "02:00:00:00:00:01"},
        "name:bad_name port:out_of_range ip:bad_ip mac:not_unique switch:unknown_switch",
    ),
    (
        "links/",
        {"a": "ghost", "a_port": -1, "b": "s1", "b_port": 10},
        "a_port:out_of_range a:unknown_switch b_port:port_in_use",
    ),
    ("publishers/", {"name": "x y", "host": "ghost"}, "name:bad_name host:unknown_host"),
    (
        "subscriptions/",
        {"subscriber": "ghost", "topic": "quotes", "filter": "low >", "more": 1},
        "more:unknown_field subscriber:unknown_subscriber filter:filter_syntax",
    ),
    (
        "users/",
        {"username": "olga", "role": "king", "password": "123"},
        "role:not_a_choice username:not_unique password:weak_password password:weak_password",
    ),
    (
        "tokens/",
        {"subscriber": "ghost", "expires_at": "2001-01-01T00:00:00Z", "user": "nobody"},
        "name:required user:unknown_user subscriber:unknown_subscriber expires_at:out_of_range",
    ),
    ("audits/", {"switches": ["s1", "ghost"], "repair": 1}, "repair:wrong_type switches/1:unknown_switch"),
    (
        "analytics/runs/",
        {"job": "none", "since": "2024-02-01T00:00:00Z", "until": "2024-01-01T00:00:00Z"},
        "job:not_a_choice until:out_of_order",
    ),
    (
        "switches/budgets/",
        {"budgets": {"s1": -1, "s2": "x"}},
        "budgets/s1:out_of_range budgets/s2:wrong_type",
    ),
]
CHANGES = [
    (
        "topics",
        {"indexed": ["none", 4, "low", "low"], "automatic_indexing": 1},
        "automatic_indexing:wrong_type indexed/0:unknown_attribute indexed/1:wrong_type indexed/3:duplicate",
    ),
    ("hosts", {"switch": "ghost", "port": -1}, "port:out_of_range switch:unknown_switch"),
    (
        "users",
        {"role": "king", "password": "123"},
        "role:not_a_choice password:weak_password password:weak_password",
    ),
]


def found(answer):
    assert answer.status_code == 400, answer.content
    return [f"{error['pointer'][1:]}:{error['code']}" for error in answer.json()["errors"]]


@pytest.mark.parametrize("path, body, expected", CASES, ids=[case[0] for case in CASES])
def test_all_errors_of_a_new_object(world, administrator, path, body, expected):
    assert sorted(found(administrator.post(path, body))) == sorted(expected.split())
    assert Switch.objects.count() == 3


@pytest.mark.parametrize("resource, body, expected", CHANGES, ids=[case[0] for case in CHANGES])
def test_all_errors_of_a_change(world, administrator, resource, body, expected):
    pk = administrator.get(f"{resource}/").json()["results"][0]["id"]
    assert sorted(found(administrator.patch(f"{resource}/{pk}/", body))) == sorted(expected.split())


def test_a_number_out_of_range_has_its_range(world, administrator):
    errors = administrator.post("switches/budgets/", {"budgets": {"s1": -1}}).json()["errors"]
    assert errors[0]["detail"] == "-1 is out of range; use a number from 0 to 10,000,000, or null."
