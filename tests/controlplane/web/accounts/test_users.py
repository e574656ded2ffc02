"""Users over REST, the caller's own password, and the limit for wrong passwords."""

import pytest
from django.contrib.auth.models import User

from controlplane.accounts.models import FailedLogIn
from controlplane.accounts.tokens import issue_token
from tests.support.controlplane.api_fixtures import Caller
from tests.support.controlplane.logins import GOOD, log_in


def make(caller, **body):
    return caller.post("users/", {"username": "nora", "role": "operator", "password": GOOD, **body})


def test_an_administrator_makes_a_user_who_logs_in(administrator):
    answer = make(administrator)
    made = answer.json()
    assert answer.status_code == 201 and answer.headers["Location"] == made["url"]
    assert (made["username"], made["role"], made["active"], made["has_password"]) == (
        "nora",
        "operator",
        True,
        True,
    )
    caller = Caller(enforce_csrf_checks=True)
    assert log_in("nora", GOOD, caller).status_code == 302
    assert caller.get("me/").json()["role"] == "operator"
    assert administrator.get("users/?username=nora").json()["results"][0]["last_login"] is not None
    assert GOOD not in administrator.get("users/").content.decode()


def test_a_user_without_a_password_has_tokens_only(administrator):
    made = administrator.post("users/", {"username": "robot", "role": "viewer"}).json()
    assert made["has_password"] is False
    assert log_in("robot", "").status_code == 200


@pytest.mark.parametrize(
    "body, pointer, code",
    [
        ({"username": "adam"}, "/username", "not_unique"),
        ({"username": "no spaces"}, "/username", "bad_name"),
        ({"role": "king"}, "/role", "not_a_choice"),
        ({"password": "short"}, "/password", "weak_password"),
        ({"password": "password123"}, "/password", "weak_password"),
        ({"is_superuser": True}, "/is_superuser", "unknown_field"),
    ],
)
def test_bad_users_are_refused_by_name(administrator, pointers, body, pointer, code):
    assert (None, pointer, code) in pointers(make(administrator, **body))
    assert not User.objects.filter(username="nora").exists()


def test_role_standing_and_password_change_at_once(administrator, problem):
    made = make(administrator).json()
    user = User.objects.get(username="nora")
    token = Caller()
    token.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'x')}")
    session = Caller()
    session.force_login(user)
    assert administrator.patch(made["url"], {"role": "viewer"}).json()["role"] == "viewer"
    problem(token.post("topics/", {}), 403)
    administrator.patch(made["url"], {"password": "another fine secret"})
    problem(session.get("me/"), 401)
    assert log_in("nora", "another fine secret").status_code == 302
    assert administrator.patch(made["url"], {"active": False}).json()["active"] is False
    problem(token.get("me/"), 401)
    assert log_in("nora", "another fine secret").status_code == 200


def test_an_administrator_who_is_none_any_more_loses_the_admin_pages(administrator):
    made = make(administrator, role="administrator").json()
    User.objects.filter(username="nora").update(is_staff=True, is_superuser=True)
    assert administrator.patch(made["url"], {"role": "viewer"}).json()["role"] == "viewer"
    user = User.objects.get(username="nora")
    assert not (user.is_staff or user.is_superuser) and [g.name for g in user.groups.all()] == ["viewer"]


def test_nobody_locks_out_themselves_or_the_last_administrator(administrator, problem):
    own = administrator.get("users/?username=adam").json()["results"][0]
    for change in ({"active": False}, {"role": "operator"}):
        assert "lock" in problem(administrator.patch(own["url"], change), 409)["detail"]
    assert administrator.patch(own["url"], {"role": "administrator"}).status_code == 200
    assert make(administrator, role="administrator").status_code == 201
    assert "lock" in problem(administrator.patch(own["url"], {"active": False}), 409)["detail"]
    other = administrator.get("users/?username=nora").json()["results"][0]
    assert administrator.patch(other["url"], {"active": False}).status_code == 200


def test_the_own_password_changes_with_the_current_one(make_user, error):
    make_user("olga", "viewer", GOOD)
    caller, other = Caller(), Caller()
    assert caller.login(username="olga", password=GOOD) and other.login(username="olga", password=GOOD)
    wrong = caller.post("me/password/", {"current": "wrong", "password": "another fine secret"})
    assert error(wrong)["pointer"] == "/current"
    weak = caller.post("me/password/", {"current": GOOD, "password": "short"})
    assert error(weak)["pointer"] == "/password"
    assert (
        caller.post("me/password/", {"current": GOOD, "password": "another fine secret"}).status_code == 204
    )
    assert caller.get("me/").status_code == 200 and other.get("me/").status_code == 401


def test_wrong_passwords_are_throttled_by_address(make_user):
    make_user("olga", "viewer", GOOD)
    for _ in range(5):
        assert log_in("olga", "wrong").status_code == 200
    answer = log_in("olga", GOOD)
    assert answer.status_code == 429 and 0 < int(answer.headers["Retry-After"]) <= 300
    assert "Try again in" in answer.content.decode()
    assert log_in("olga", GOOD, path="/admin/login/").status_code == 429
    assert FailedLogIn.objects.count() == 5  # throttled attempts do not prolong the wait
    assert log_in("olga", GOOD, address="192.0.2.7").status_code == 302


def test_an_address_that_guesses_names_is_throttled_too(make_user, monkeypatch):
    monkeypatch.setattr("controlplane.accounts.login.USERS", 1)
    make_user("olga", "viewer", GOOD)
    for n in range(5):
        log_in(f"guess{n}", "wrong")
    assert log_in("olga", GOOD).status_code == 429


def test_the_right_password_forgets_the_wrong_ones(make_user):
    make_user("olga", "viewer", GOOD)
    for _ in range(2):
        for _ in range(4):
            log_in("olga", "wrong")
        assert log_in("olga", GOOD).status_code == 302
    assert not FailedLogIn.objects.exists()


def test_guesses_at_the_own_password_are_throttled(make_user, problem):
    make_user("olga", "viewer", GOOD)
    caller = Caller()
    caller.login(username="olga", password=GOOD)
    for _ in range(5):
        caller.post("me/password/", {"current": "wrong", "password": "another fine secret"})
    answer = caller.post("me/password/", {"current": GOOD, "password": "another fine secret"})
    problem(answer, 429)
    assert int(answer.headers["Retry-After"]) > 0


def test_log_in_needs_its_csrf_token(make_user):
    make_user("olga", "viewer", GOOD)
    caller = Caller(enforce_csrf_checks=True)
    answer = caller.post("/login/", {"username": "olga", "password": GOOD}, format="multipart")
    assert answer.status_code == 403
