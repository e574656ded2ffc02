"""Hostile bodies on every route: the answer is a 400 that names the fault, and never a 500."""

import json

import pytest

from controlplane.registry.models import Topic
from controlplane.requestlog.models import Request
from tests.support.controlplane.routes import BULK, FILES, PATCHES, POSTS

HOSTILE = {
    "empty": "",
    "blank": " ",
    "not json": "{name: 1}",
    "cut off": '{"name": "a"',
    "two documents": "{} {}",
    "nan": '{"name": NaN}',
    "infinity": '{"name": -Infinity}',
    "overflow": '{"name": 1e999}',
    "huge integer": '{"name": ' + "9" * 5000 + "}",
    "deep list": "[" * 100_000 + "]" * 100_000,
    "deep object": '{"a":' * 40 + "1" + "}" * 40,
    "repeated key": '{"name": "a", "name": "b"}',
    "null character": '{"name": "a\\u0000b"}',
    "raw null character": '{"name": "a\0b"}',
    "null character in a key": '{"a\\u0000": 1}',
    "lone surrogate": '{"name": "\\ud800"}',
    "lone surrogate in a key": '{"\\udfff": 1}',
    "not utf-8": b'{"name": "\xff"}',
    "utf-16": '{"name": "a"}'.encode("utf-16"),
    "surrogate bytes": '{"name": "\ud800"}',
    "byte order mark": b'\xef\xbb\xbf{"name": "a"}',
    "null": "null",
    "true": "true",
    "number": "17",
    "text": '"name"',
    "list of lists": "[[]]",
    "list of nulls": "[null]",
    "empty list": "[]",
    "unknown field": '{"no_such_field": 1}',
    "field of a pointer": '{"a/b~c": 1}',
    "dunder": '{"__class__": 1, "pk": 1, "id": 1}',
}


STEPS = pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.full)])
"""Every day, a third of the cases for each route, by turns; in full, all of them."""

PATHS = [*(f"{p}/" for p in (*POSTS, *FILES)), *(f"{p}/1/" for p in PATCHES)]


@STEPS
@pytest.mark.parametrize("path", PATHS)
def test_hostile_bodies_are_refused(world, problem, path, step):
    cases = list(HOSTILE.items())[PATHS.index(path) % step :: step]
    if path == "topics/1/":
        path = f"topics/{Topic.objects.get().pk}/"
    before = Request.objects.count()
    method = "PATCH" if path[-2].isdigit() else "POST"
    for name, body in cases:
        if name == "empty" and (method == "PATCH" or path == "audits/"):
            continue  # a PATCH without changes is not an error, nor is an audit of all switches
        document = problem(world.raw(method, path, body), 400)
        assert document["errors"], name
        assert all(e["detail"] and e["code"] for e in document["errors"]), name
    assert Request.objects.count() == before


def _values():
    yield from (None, True, False, 0, -1, 1.5, 2**53, 2**63, 2**64, 2**80, -(2**80), 1e-310, -0.0, 1e308)
    yield from (
        "",
        " ",
        "x" * 100_000,
        "a\nb",
        "\u202e",
        "0",
        "null",
        "undefined",
        "'; DROP TABLE--",
        "\U0001f600",
    )
    yield from ([], [[]], {}, {"a": 1}, [None], ["a"] * 200)


@STEPS
@pytest.mark.parametrize("path", [f"{p}/" for p in POSTS])
def test_every_field_takes_every_value_or_names_it(world, path, step):
    """Send each hostile value in each field in turn, with valid values in all other fields."""
    good = {
        "topics/": {
            "name": "news",
            "attributes": [{"name": "a", "type": "bool"}],
            "indexed": ["a"],
            "code": 8,
        },
        "publishers/": {"name": "p", "host": "h1"},
        "subscribers/": {"name": "p", "host": "h1"},
        "advertisements/": {"publisher": "exchange", "topic": "quotes", "filter": "true"},
        "subscriptions/": {"subscriber": "alice", "topic": "quotes", "filter": "true"},
        "switches/": {
            "name": "s9",
            "dpid": "0000000000000009",
            "tcam_budget": 1,
            "label": "x",
            "latitude": 1.0,
            "longitude": 2.0,
        },
        "links/": {"a": "s1", "a_port": 5, "b": "s3", "b_port": 5, "cost": 1},
        "hosts/": {
            "name": "h9",
            "switch": "s1",
            "port": 9,
            "ip": "fd00::9",
            "mac": "02:00:00:00:00:09",
            "standby": [{"switch": "s2", "port": 9}],
        },
        "audits/": {"switches": ["s1"], "repair": False},
        "traffic/": {
            "reporter": "r",
            **dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1),
            "delay_ms": {"p50": 1.0, "p99": 2.0},
        },
        "tokens/": {
            "name": "x",
            "scopes": ["read"],
            "expires_at": "2090-01-01T00:00:00Z",
            "user": "olga",
        },
        "analytics/runs/": {
            "job": "delay",
            "window": "1 minute",
            "since": "2026-01-01T00:00:00Z",
            "until": "2026-01-02T00:00:00Z",
            "rebuild": True,
        },
    }[path]
    dry = "" if path in ("traffic/", "audits/", "analytics/runs/", "tokens/") else "?dry_run=true"
    for number, field in enumerate(good, PATHS.index(path)):
        for value in list(_values())[number % step :: step]:
            answer = world.raw("POST", path + dry, json.dumps({**good, field: value}))
            # 403: the token of another; 409: the first call is still running
            assert answer.status_code in (200, 201, 202, 400, 403, 409), (field, value, answer.content[:500])
            if answer.status_code == 400:
                errors = answer.json()["errors"]
                assert all(e["pointer"].startswith(f"/{field}") for e in errors), (field, value, errors)
                assert all(e["detail"] for e in errors)


@pytest.mark.parametrize("path", [f"{p}/" for p in BULK])
def test_items_of_a_list_are_named_by_their_index(world, pointers, path):
    answer = world.post(path, [{"no_such_field": 1}, 7])
    found = pointers(answer)
    assert (0, "/no_such_field", "unknown_field") in found and (1, "", "wrong_type") in found


@pytest.mark.parametrize("path", ["topics/", "traffic/"])
def test_lists_are_refused_where_one_object_is_taken(world, error, path):
    assert error(world.post(path, [{}]))["code"] == "wrong_type"


def test_all_bad_values_of_a_body_are_reported(operator, pointers):
    body = '[{"name": NaN}, {"dpid": 1e999, "dpid": "\\u0000"}]'
    assert pointers(operator.raw("POST", "switches/", body)) == [
        (None, "/0/name", "not_a_number"),
        (None, "/1/dpid", "repeated_key"),
        (None, "/1/dpid", "null_character"),
    ]


def test_hostile_text_in_an_answer_is_still_json(operator, error):
    found = error(operator.raw("POST", "switches/", '{"a\\ud800": 1}'))
    assert found["code"] == "lone_surrogate" and "ud800" in found["value"]
