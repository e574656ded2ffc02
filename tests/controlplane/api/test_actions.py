"""The audit trail: who did or tried what, whatever becomes of users and objects."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from controlplane.trail import retention, writing
from controlplane.trail.models import Action

from .conftest import Caller
from .test_first_use import BEAT
from .test_users import GOOD, log_in


@pytest.fixture(autouse=True)
def fresh(settings):
    """Nothing is known of earlier tests, and passwords are hashed quickly."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    writing._recent.clear()


def actions(caller, query=""):
    answer = caller.get(f"audit/actions/?limit=1000{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_a_change_is_noted_with_who_what_when_and_from_where(world, administrator):
    answer = world.post("publishers/", {"name": "p", "host": "h1"}, REMOTE_ADDR="192.0.2.7")
    (row,) = actions(administrator, "&resource=publishers&address=192.0.2.7")
    assert (row["actor"], row["token"], row["client"]) == ("olga", "test", None)
    assert (row["method"], row["outcome"], row["status"], row["times"]) == ("POST", "done", 201, 1)
    assert row["object"] == answer.headers["Location"] and row["call"] == answer.headers["X-Request-ID"]
    world.delete(answer.headers["Location"])
    (gone,) = actions(administrator, "&method=DELETE")
    assert gone["object"] == answer.headers["Location"] and gone["resource"] == "publishers"


def test_reading_reports_and_dry_runs_are_not_noted(world, administrator):
    before = Action.objects.count()
    world.get("topics/")
    counters = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1)
    world.post("traffic/", {"reporter": "r", **counters})
    assert world.post("demo/launcher/", BEAT).status_code == 200
    world.post("publishers/?dry_run=true", {"name": "p", "host": "h1"})
    assert Action.objects.count() == before


def test_what_is_refused_says_why(world, administrator):
    world.post("publishers/", {"name": "no name", "host": "h1"})
    (row,) = actions(administrator, "&outcome=refused")
    assert row["status"] == 400 and "is not a name" in row["detail"]


def test_denied_attempts_are_counted_by_the_minute(viewer, administrator, anonymous):
    for _ in range(3):
        viewer.post("topics/", {})
        viewer.get("users/")
        anonymous.delete("topics/1/")
        anonymous.post("hosts/", {})
        anonymous.get("topics/")  # an open door tried
    bad = Caller()
    bad.credentials(HTTP_AUTHORIZATION="Bearer wrong")
    bad.get("topics/")
    rows = {(r["actor"], r["method"], r["resource"]): r for r in actions(administrator, "&outcome=denied")}
    assert rows["vera", "POST", "topics"]["times"] == rows["vera", "GET", "users"]["times"] == 3
    assert "operator" in rows["vera", "POST", "topics"]["detail"]
    assert rows[None, "DELETE", "topics"]["times"] == 3 and rows[None, "POST", "hosts"]["times"] == 3
    assert rows[None, "GET", "topics"]["status"] == 401
    assert len(rows) == 5


def test_log_ins_are_noted_failed_and_throttled_ones_too(make_user, administrator):
    make_user("olga", "viewer", GOOD)
    for _ in range(5):
        log_in("olga", "wrong", address="192.0.2.7")
    log_in("olga", GOOD, address="192.0.2.7")
    caller = Caller(enforce_csrf_checks=False)
    log_in("olga", GOOD, caller)
    caller.post("/logout/")
    found = [(r["resource"], r["status"], r["times"], r["actor"]) for r in actions(administrator, "&q=log")]
    assert found == [
        ("login", 401, 5, "olga"),
        ("login", 429, 1, "olga"),
        ("login", 200, 1, "olga"),
        ("logout", 200, 1, "olga"),
    ]
    assert not Action.objects.filter(detail__contains=GOOD).exists()


def test_the_trail_outlives_users_and_objects(world, administrator, make_user, caller_of):
    user = make_user("gone", "operator")
    caller_of(user).post("publishers/", {"name": "p", "host": "h1"})
    User.objects.filter(username="gone").delete()
    assert [row["resource"] for row in actions(administrator, "&actor=gone")] == ["publishers"]


def test_it_is_for_administrators_and_nobody_changes_it(world, administrator, problem):
    problem(world.get("audit/actions/"), 403)
    world.post("publishers/", {"name": "p", "host": "h1"})
    row = actions(administrator)[-1]
    assert administrator.get(f"audit/actions/{row['id']}/").json()["call"]
    for method in ("delete", "patch"):
        problem(getattr(administrator, method)(f"audit/actions/{row['id']}/", {}), 405)


def test_one_that_was_killed_in_the_middle_is_there(world, administrator, monkeypatch):
    monkeypatch.setattr(writing, "end", lambda *args: None)
    world.post("publishers/", {"name": "p", "host": "h1"})
    (row,) = actions(administrator, "&outcome=begun")
    assert row["resource"] == "publishers" and row["status"] is None


def test_admin_pages_are_noted(administrator):
    user = User.objects.get(username="adam")
    user.is_staff = user.is_superuser = True
    user.save()
    caller = Caller()
    caller.force_login(user)
    caller.post("/admin/auth/group/add/", {"name": "x"}, format="multipart")
    (row,) = actions(administrator, "&resource=admin")
    assert row["actor"] == "adam" and row["object"] == "/admin/auth/group/add/"


def test_it_is_kept_for_a_time_and_up_to_a_number(administrator, settings):
    now = timezone.now()
    rows = [
        Action(at=now - timedelta(days=n * 100), last_at=now, method="POST", resource=f"r{n}", object="x")
        for n in (5, 3, 2, 1, 0)
    ]
    Action.objects.bulk_create(rows)
    retention.prune()
    assert [row["resource"] for row in actions(administrator)] == ["r3", "r2", "r1", "r0"]
    settings.ENV = replace(settings.ENV, trail_rows=2)
    retention.prune()
    assert [row["resource"] for row in actions(administrator)] == ["r1", "r0"]
