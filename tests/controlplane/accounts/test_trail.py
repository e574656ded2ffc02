"""The audit trail: actions and attempts of users, also after users and objects are deleted."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from controlplane.accounts.trail import retention, writer
from controlplane.accounts.trail.models import Action
from tests.support.controlplane.api_fixtures import Caller
from tests.support.controlplane.launcher_reports import BEAT
from tests.support.controlplane.logins import GOOD, log_in


@pytest.fixture(autouse=True)
def long_minute(monkeypatch):
    """Attempts count in one row however long a busy machine takes for them."""
    monkeypatch.setattr(writer, "TOGETHER", timedelta(hours=1))


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
    assert row["status"] == 400 and row["detail"] == "/name: bad_name"


def test_denied_attempts_are_counted_by_the_minute(viewer, administrator, anonymous):
    for _ in range(3):
        viewer.post("topics/", {})
        viewer.get("users/")
        anonymous.delete("topics/1/")
        anonymous.post("hosts/", {})
        anonymous.get("topics/")  # a read without credentials
    bad = Caller()
    bad.credentials(HTTP_AUTHORIZATION="Bearer wrong")
    bad.get("topics/")
    rows = {(r["actor"], r["method"], r["resource"]): r for r in actions(administrator, "&outcome=denied")}
    assert rows["vera", "POST", "topics"]["times"] == rows["vera", "GET", "users"]["times"] == 3
    assert "operator" in rows["vera", "POST", "topics"]["detail"]
    assert rows[None, "DELETE", "topics"]["times"] == 3 and rows[None, "POST", "hosts"]["times"] == 3
    assert rows[None, "GET", "topics"]["status"] == 401
    assert len(rows) == 5


def test_logins_are_recorded_and_throttled(make_user, administrator):
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


def test_denied_attempts_that_had_begun_are_counted_too(world, administrator, make_user):
    """A client token for another subscriber, and a password that is no longer checked."""
    made = world.post("tokens/", {"name": "alice's", "subscriber": "alice"}).json()
    client = Caller()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {made['token']}")
    for _ in range(40):
        answer = client.post("subscriptions/", {"subscriber": "bob", "topic": "quotes", "filter": "true"})
        assert answer.status_code == 403
    (row,) = actions(administrator, "&outcome=denied")
    assert (row["times"], row["object"], row["token"]) == (40, "/api/v1/subscriptions/", "alice's")
    assert row["last_at"] > row["at"] and not actions(administrator, "&outcome=begun")
    browser = Caller()
    browser.force_login(make_user("nora", "operator", GOOD))
    for _ in range(12):
        browser.post("me/password/", {"current": "wrong", "password": GOOD + "!"})
    rows = [r["times"] for r in actions(administrator, "&actor=nora&status=429")]
    assert rows == [7]
    Action.objects.update(at=F("at") - writer.TOGETHER)  # another minute starts
    browser.post("me/password/", {"current": "wrong", "password": GOOD + "!"})
    assert [r["times"] for r in actions(administrator, "&actor=nora&status=429")] == [7, 1]


def test_rows_of_unauthenticated_addresses_are_limited(administrator, db):
    """The number of names, methods and pages that the client invents does not matter."""
    for number in range(120):
        log_in(f"name{number}", "wrong", address="192.0.2.9")
    rows = actions(administrator, "&address=192.0.2.9")
    assert sum(row["times"] for row in rows) == 120
    assert [row["times"] for row in rows if row["status"] == 429] == [70]
    assert rows[-1]["detail"] == "throttled; with several names" and len(rows) == 51
    caller = Caller()
    for number in range(20):
        caller.generic(f"M{number}", "topics/", REMOTE_ADDR="192.0.2.10")
        caller.post(f"/admin/p{number}/", {}, format="multipart", REMOTE_ADDR="192.0.2.10")
    rows = actions(administrator, "&address=192.0.2.10")
    assert [(row["method"], row["outcome"], row["times"]) for row in rows] == [
        ("other", "denied", 20),
        ("POST", "denied", 20),
    ]


def test_a_write_without_the_csrf_token_is_recorded_with_its_user(administrator, make_user):
    browser = Caller(enforce_csrf_checks=True)
    browser.force_login(make_user("nora", "operator"))
    assert browser.post("topics/", {}).status_code == 403
    (row,) = actions(administrator, "&outcome=denied")
    assert (row["actor"], row["method"], row["resource"]) == ("nora", "POST", "topics")
    assert "CSRF" in row["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"password": 98765432109876},
        {"password": ["98765432109876"]},
        {"password": "98765432109876" * 100},
        {"passwort": "98765432109876"},
        "98765432109876",
        ["98765432109876"],
        {"role": "98765432109876"},
    ],
)
def test_what_a_body_says_is_never_in_it(administrator, make_user, body):
    """Answers do not repeat a possible password either."""
    user = make_user("nora", "operator")
    answer = administrator.patch(f"users/{user.pk}/", body)
    assert answer.status_code == 400
    assert "role" in body or "9876543210" not in answer.content.decode()
    (row,) = actions(administrator, "&method=PATCH")
    assert row["detail"] and "9876543210" not in str(row)
    own = administrator.post("me/password/", body)
    assert own.status_code == 400 and "9876543210" not in own.content.decode()
    assert not Action.objects.filter(detail__contains="9876543210").exists()


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
    monkeypatch.setattr(writer, "end", lambda *args: None)
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


def test_trail_is_limited_by_age_and_rows(administrator, settings):
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
