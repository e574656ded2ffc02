"""Who may do what: nobody reads without log-in, viewers read, operators write."""

import pytest

from controlplane.aggregation.models import Run
from controlplane.control.models import Request

from .routes import ALONE, DELETES, FILES, LISTS, NESTED, PATCHES, POSTS, SINGLES

READS = [*(f"{p}/" for p in LISTS), *(f"{p}/1/" for p in LISTS), *NESTED, *SINGLES, "/api/schema/"]
WRITES = [
    *(("post", f"{p}/") for p in (*POSTS, *FILES)),
    *(("patch", f"{p}/1/") for p in PATCHES),
    *(("delete", f"{p}/1/") for p in DELETES),
    ("post", "aggregation/runs/1/revert/"),
    ("post", "topology/layout/"),
    ("post", "hosts/1/key/"),
    ("delete", "hosts/1/key/"),
    ("post", "analytics/runs/1/cancel/"),
    *((method.lower(), f"{p}/") for p, methods in ALONE.items() for method in methods if method != "GET"),
]


def test_nothing_is_readable_without_log_in_but_the_health(anonymous, problem):
    for path in READS:
        answer = anonymous.get(path)
        problem(answer, 401)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    told = anonymous.get("health/?only=database").json()
    assert told == {"status": "ok", "checks": [{"name": "database", "status": "ok", "detail": None}]}


def test_nothing_is_writable_without_log_in(anonymous, problem):
    for method, path in WRITES:
        problem(getattr(anonymous, method)(path, {}), 401)


def test_a_viewer_reads_and_writes_nothing(viewer, problem):
    for path in READS:
        assert viewer.get(path).status_code in (200, 404), path
    for method, path in WRITES:
        detail = problem(getattr(viewer, method)(path, {}), 403)["detail"]
        assert "operator" in detail and "viewer" in detail
    assert not Request.objects.exists() and not Run.objects.exists()


@pytest.mark.parametrize("role", ["operator", "administrator"])
def test_operators_and_administrators_write(make_user, caller_of, role):
    caller = caller_of(make_user("olga", role))
    for method, path in WRITES:
        status = getattr(caller, method)(path, {}).status_code
        assert status in (200, 202, 400, 404, 409), (method, path)  # an empty change is one


def test_a_superuser_is_an_administrator(make_user, caller_of):
    user = make_user("root", None)
    user.is_superuser = True
    user.save()
    me = caller_of(user).get("me/").json()
    assert me["role"] == "administrator"


def test_a_user_without_a_group_reads(make_user, caller_of, problem):
    caller = caller_of(make_user("nina", None))
    assert caller.get("topics/").status_code == 200
    problem(caller.post("topics/", {}), 403)


def test_me_tells_what_the_caller_may_do(viewer, operator):
    def may(caller):
        return {row["resource"]: row["methods"] for row in caller.get("me/").json()["may"]}

    assert may(viewer)["subscriptions"] == ["GET"] and may(viewer)["requests"] == ["GET"]
    assert may(operator)["subscriptions"] == ["DELETE", "GET", "POST"]
    assert may(operator)["switches"] == ["DELETE", "GET", "PATCH", "POST"]
    assert may(operator)["topology/import"] == ["POST"] and may(viewer)["topology/import"] == []
    assert may(operator)["requests"] == may(operator)["trees"] == ["GET"]
    for caller in (viewer, operator):
        for resource, methods in may(caller).items():
            for method in ("POST", "PATCH", "DELETE"):
                path = (
                    f"{resource}/" if method == "POST" or resource in (*FILES, *ALONE) else f"{resource}/1/"
                )
                allowed = getattr(caller, method.lower())(path, {}).status_code not in (403, 405)
                assert allowed == (method in methods), (resource, method)


def test_me_tells_who_it_is(operator):
    me = operator.get("me/").json()
    assert (me["username"], me["role"], me["login"], me["token"]) == ("olga", "operator", "token", "test")
    assert me["token_expires_at"] is None
