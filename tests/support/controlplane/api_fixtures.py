"""Callers of the API, and a small network for them."""

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import Max
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.deployment import object_effects
from controlplane.requestlog.models import Request, State
from tests.support.controlplane.prepared_rows import write_once

__all__ = [
    "administrator",
    "anonymous",
    "caller_of_fixture",
    "end_fixture",
    "error_fixture",
    "make_user_fixture",
    "network",
    "operator",
    "pointers_fixture",
    "problem_fixture",
    "viewer",
    "woken",
    "world",
]
"""The fixtures, which the conftest of each folder that calls the API imports."""

ROOT = "/api/v1"

SWITCHES = [{"name": f"s{n}", "dpid": f"{n:016x}", "tcam_budget": 100 if n == 1 else None} for n in (1, 2, 3)]
LINKS = [
    {"a": "s1", "a_port": 1, "b": "s2", "b_port": 1},
    {"a": "s2", "a_port": 2, "b": "s3", "b_port": 1, "cost": 2},
]
HOSTS = [
    {"name": f"h{n}", "switch": f"s{n}", "port": 10, "ip": f"fd00::{n}", "mac": f"02:00:00:00:00:0{n}"}
    for n in (1, 2, 3)
]
TOPIC = {
    "name": "quotes",
    "attributes": [
        {"name": "low", "type": "int", "min": 0, "max": 1023},
        {"name": "high", "type": "float", "min": 0.0, "max": 100.0},
        {"name": "open", "type": "bool"},
        {"name": "side", "type": "enum", "values": ["buy", "sell"]},
        {"name": "symbol", "type": "string"},
    ],
    "indexed": ["low", "high"],
}


class Caller(APIClient):
    """A client of the API whose paths start after the version."""

    def generic(self, method, path, *args, **kwargs):
        return super().generic(method, path if path.startswith("/") else f"{ROOT}/{path}", *args, **kwargs)

    def raw(self, method, path, body, content_type="application/json", **headers):
        """Send `body` (text or bytes) unchanged."""
        data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        return self.generic(method, path, data, content_type=content_type, **headers)


def with_text(text):
    """Return a caller that logs in with a token."""
    caller = Caller()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return caller


def issue(caller, **body):
    """Issue a token as `caller`; return the answer."""
    answer = caller.post("tokens/", {"name": "made", **body})
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """Count how often the planner was woken, without a broker."""
    calls = []
    monkeypatch.setattr("controlplane.requestlog.append._wake", lambda: calls.append(1))
    return calls


def make_user(name, role, password=None):
    user = User.objects.create_user(name, password=password)  # hashing a password takes a long time
    if role:
        user.groups.add(Group.objects.get_or_create(name=role)[0])
    return user


def caller_of(user):
    caller = Caller()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")
    return caller


@pytest.fixture
def operator(db):
    return caller_of(make_user("olga", "operator"))


@pytest.fixture
def viewer(db):
    return caller_of(make_user("vera", "viewer"))


@pytest.fixture
def administrator(db):
    return caller_of(make_user("adam", "administrator"))


@pytest.fixture
def anonymous(db):
    return Caller()


def end(state=State.ACTIVE, **which):
    """End the waiting requests like the planner session, with the effects on their objects."""
    last = Request.objects.aggregate(last=Max("position"))["last"] or 0
    rows = list(Request.objects.filter(state=State.QUEUED, **which).order_by("id"))
    for position, row in enumerate(rows, start=last + 1):
        row.state, row.position = state, position
        row.save()
    object_effects.apply(rows)


def make_network(caller):
    """Create three switches in a row with a host each."""
    for resource, items in (("switches", SWITCHES), ("links", LINKS), ("hosts", HOSTS)):
        answer = caller.post(f"{resource}/", items)
        assert answer.status_code == 202, answer.content


def make_participants(caller):
    """Create a topic, a publisher and subscribers."""
    for resource, body in (
        ("topics", TOPIC),
        ("publishers", {"name": "exchange", "host": "h1"}),
        ("subscribers", {"name": "alice", "host": "h2"}),
        ("subscribers", {"name": "bob", "host": "h3"}),
    ):
        answer = caller.post(f"{resource}/", body)
        assert answer.status_code == 201, answer.content


@pytest.fixture
def network(operator):
    """Three switches in a row with a host each."""
    write_once(make_network, operator)
    return operator


@pytest.fixture
def world(network):
    """The network, a topic, a publisher and subscribers."""
    write_once(make_participants, network)
    return network


def problem(answer, status):
    """Return the problem document of an answer with this status."""
    assert answer.status_code == status, (answer.status_code, answer.content[:2000])
    assert answer.headers["Content-Type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["request_id"] == answer.headers["X-Request-ID"]
    assert {"type", "title", "detail", "errors"} <= document.keys()
    return document


def error(answer, status=400):
    """Return the only error of a problem."""
    errors = problem(answer, status)["errors"]
    assert len(errors) == 1, errors
    return errors[0]


def pointers(answer, status=400):
    """Return (index, pointer, code) of all errors of a problem."""
    return [(e.get("index"), e["pointer"], e["code"]) for e in problem(answer, status)["errors"]]


@pytest.fixture(name="error")
def error_fixture():
    return error


@pytest.fixture(name="problem")
def problem_fixture():
    return problem


@pytest.fixture(name="pointers")
def pointers_fixture():
    return pointers


@pytest.fixture(name="end")
def end_fixture():
    return end


@pytest.fixture(name="make_user")
def make_user_fixture(db):
    return make_user


@pytest.fixture(name="caller_of")
def caller_of_fixture(db):
    return caller_of
