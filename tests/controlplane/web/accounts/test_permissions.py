"""Permissions: every route and method for all roles, scopes and client tokens, compared with `me/`."""

import re
from pathlib import Path

import pytest
from django.urls import URLResolver, get_resolver

from controlplane.accounts.models import Token
from controlplane.accounts.tokens import new_token
from controlplane.registry.models import Publisher, Subscriber
from controlplane.requestlog.models import Request
from tests.support.controlplane.api_fixtures import Caller
from tests.support.controlplane.routes import CLIENTS, NEEDS

SCOPE_OF = {"read": "read", "ask": "read", "self": "write", "write": "write", "admin": "admin"}
ROLE_OF = {"read": "viewer", "ask": "viewer", "self": "viewer", "write": "operator", "admin": "administrator"}
ROLES = ("viewer", "operator", "administrator")
PARAMETER = re.compile(r"<\w+:(\w+)>|\(\?P<(\w+)>\[\^/\]\+\)")
NOBODY = 987654


def addresses(resolver, prefix=""):
    """Yield (address, view, router's actions) of all patterns."""
    for each in resolver.url_patterns:
        text = prefix + PARAMETER.sub(lambda m: f"{{{m[1] or m[2]}}}", str(each.pattern).strip("^$"))
        if isinstance(each, URLResolver):
            yield from addresses(each, text)
        elif text.startswith("api/v1/"):
            yield text.removeprefix("api/v1/").replace("{pk}", "{id}"), each.callback


def taken(view):
    named = getattr(view, "actions", None) or dir(view.cls)
    return {method.upper() for method in ("get", "post", "put", "patch", "delete") if method in named}


def test_every_route_and_method_is_listed():
    found = {path: taken(view) for path, view in addresses(get_resolver())}
    assert {path: set(methods) for path, methods in NEEDS.items()} == found


def token_caller(user, scopes=("read", "write", "admin"), **client):
    caller = Caller()
    text = new_token(Token(user=user, name="test", **client), scopes)
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return caller


def refused(caller, path, method):
    address = path.replace("{id}", str(NOBODY)).replace("{entry}", str(NOBODY))
    address += "?only=database" if path == "health/" else ""
    answer = getattr(caller, method.lower())(address, *([{}] if method != "GET" else []))
    assert answer.status_code < 500, (path, method, answer.content)
    assert answer.status_code != 405, (path, method)
    return answer.status_code in (401, 403)


def resource(path):
    return path.removesuffix("{id}/").rstrip("/")


def check(caller, may):
    """Compare every route and method, called and in `me/`, with `may(path, method, need)`."""
    reported, expected = {}, {}
    for path, needs in NEEDS.items():
        for method, need in needs.items():
            allowed = may(path, method, need)
            assert refused(caller, path, method) != allowed, (path, method, need)
            expected.setdefault(resource(path), set()).update({method} if allowed else ())
    answer = caller.get("me/")
    if answer.status_code == 200:
        for row in answer.json()["may"]:
            reported[row["resource"].replace("{pk}", "{id}")] = set(row["methods"])
        assert reported == expected


def test_nothing_is_open_without_log_in_but_the_health(anonymous, problem):
    check(anonymous, lambda path, method, need: need == "open")
    answer = anonymous.get("topics/")
    problem(answer, 401)
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert anonymous.get("/api/schema/").status_code == 401
    body = anonymous.get("health/?only=database").json()
    assert body == {"status": "ok", "checks": [{"name": "database", "status": "ok", "detail": None}]}


@pytest.mark.parametrize(
    "role, scopes",
    [
        ("viewer", ("read", "write", "admin")),
        ("operator", ("read", "write", "admin")),
        ("administrator", ("read", "write", "admin")),
        ("administrator", ("read",)),
        ("administrator", ("write",)),
        ("administrator", ("admin",)),
        ("operator", ("read",)),
        (None, ("read", "write", "admin")),
    ],
)
def test_roles_and_scopes_decide(make_user, role, scopes):
    caller = token_caller(make_user("olga", role), scopes)
    rank = ROLES.index(role or "viewer")

    def may(path, method, need):
        return need == "open" or (ROLES.index(ROLE_OF[need]) <= rank and SCOPE_OF[need] in scopes)

    check(caller, may)


@pytest.mark.parametrize("kind", ["publisher", "subscriber"])
def test_a_client_token_does_what_its_client_needs_and_nothing_else(world, make_user, kind):
    model, name = (Publisher, "exchange") if kind == "publisher" else (Subscriber, "alice")
    user = make_user("ines", "operator")
    caller = token_caller(user, ("client",), **{kind: model.objects.get(name=name)})

    def may(path, method, need):
        return (
            need == "open"
            or method in CLIENTS[kind].get(resource(path) + "/", ())
            or (method in CLIENTS[kind].get(path, ()))
        )

    check(caller, may)
    me = caller.get("me/").json()
    host = "h1" if kind == "publisher" else "h2"
    client = {"kind": kind, "id": model.objects.get(name=name).pk, "name": name, "host": host}
    assert (me["client"], me["scopes"]) == (client, ["client"])
    user.groups.clear()
    check(caller, lambda path, method, need: need == "open")


def test_refusals_say_what_is_missing(make_user, problem):
    reader = token_caller(make_user("olga", "operator"), ("read",))
    assert "scope write" in problem(reader.post("topics/", {}), 403)["detail"]
    viewer = token_caller(make_user("vera", "viewer"))
    detail = problem(viewer.post("topics/", {}), 403)["detail"]
    assert "operator" in detail and "viewer" in detail
    assert not Request.objects.exists()


def test_a_superuser_is_an_administrator(make_user, caller_of):
    user = make_user("root", None)
    user.is_superuser = True
    user.save()
    assert caller_of(user).get("me/").json()["role"] == "administrator"


def test_me_shows_the_user(operator):
    me = operator.get("me/").json()
    assert (me["username"], me["role"], me["login"], me["token"]) == ("olga", "operator", "token", "test")
    assert me["token_expires_at"] is None and me["client"] is None
    assert me["scopes"] == ["admin", "read", "write"]


def test_the_dashboard_asks_for_rights_that_there_are(make_user):
    """If `me/` does not list a resource or method, the dashboard hides its controls from all users."""
    rows = token_caller(make_user("root", "administrator")).get("me/").json()["may"]
    may = {one["resource"]: one["methods"] for one in rows}
    asked = [
        (resource, method)
        for path in sorted((Path(__file__).parents[4] / "frontend/src").rglob("*.ts*"))
        for resource, method in re.findall(r'useMay\("([^"]+)", "([A-Z]+)"\)', path.read_text())
    ]
    assert len(asked) > 20
    assert [(resource, method) for resource, method in asked if method not in may.get(resource, ())] == []
