"""Authentication by token and by session."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from controlplane.accounts.models import Token
from controlplane.accounts.tokens import issue_token, revoke_token
from tests.support.controlplane.api_fixtures import Caller


@pytest.fixture
def user(make_user):
    return make_user("olga", "operator", password="correct horse battery")


def bearer(text):
    caller = Caller()
    caller.credentials(HTTP_AUTHORIZATION=text)
    return caller


def test_a_token_logs_in(user):
    assert bearer(f"Bearer {issue_token(user, 'x')}").get("me/").json()["username"] == "olga"
    assert bearer(f"bearer {issue_token(user, 'x')}").get("me/").status_code == 200


def test_only_a_digest_is_kept(user):
    text = issue_token(user, "x")
    assert text not in str(Token.objects.values().get())


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer a b", "Bearer x", "Bearer \udcff", "Token x", "Basic eDp5", ""]
)
def test_a_bad_header_does_not(user, problem, header):
    detail = problem(bearer(header).get("me/"), 401)["detail"]
    assert ("The token is unknown." in detail) == (len(header.split()) == 2 and header.startswith("Bearer"))
    assert detail.lower().count("send") == 1  # one remedy, not two


def test_an_expired_token_does_not(user, problem):
    text = issue_token(user, "x", expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in problem(bearer(f"Bearer {text}").get("me/"), 401)["detail"]


def test_a_revoked_token_does_not(user, problem):
    text = issue_token(user, "x")
    revoke_token(Token.objects.get())
    assert "revoked" in problem(bearer(f"Bearer {text}").get("me/"), 401)["detail"]


def test_the_token_of_an_inactive_user_does_not(user, problem):
    text = issue_token(user, "x")
    user.is_active = False
    user.save()
    problem(bearer(f"Bearer {text}").get("me/"), 401)


def test_the_last_use_is_kept_coarsely(user):
    caller = bearer(f"Bearer {issue_token(user, 'x')}")
    caller.get("me/")
    used = Token.objects.get().last_used_at
    assert used is not None
    caller.get("me/")
    assert Token.objects.get().last_used_at == used
    Token.objects.update(last_used_at=used - timedelta(minutes=2))
    caller.get("me/")
    assert Token.objects.get().last_used_at >= used


def test_a_session_logs_in_and_reads(user):
    caller = Caller(enforce_csrf_checks=True)
    assert caller.login(username="olga", password="correct horse battery")
    me = caller.get("me/").json()
    assert (me["username"], me["login"], me["token"]) == ("olga", "session", None)


def test_a_session_writes_with_the_csrf_token_only(user, problem):
    caller = Caller(enforce_csrf_checks=True)
    caller.login(username="olga", password="correct horse battery")
    body = {"name": "s1", "dpid": "0000000000000001"}
    assert "CSRF" in problem(caller.post("switches/", body), 403)["detail"]
    caller.cookies["csrftoken"] = "a" * 32
    assert caller.post("switches/", body, HTTP_X_CSRFTOKEN="a" * 32).status_code == 202


def test_a_token_needs_no_csrf_token(user):
    caller = Caller(enforce_csrf_checks=True)
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'x')}")
    assert caller.post("switches/", {"name": "s1", "dpid": "0000000000000001"}).status_code == 202


def test_a_command_issues_tokens(user, capsys):
    call_command("token", "olga", "--name", "script", "--days", "1")
    text = capsys.readouterr().out.strip()
    token = Token.objects.get(name="script")
    assert timedelta(hours=23) < token.expires_at - timezone.now() <= timedelta(days=1)
    assert bearer(f"Bearer {text}").get("me/").json()["token"] == "script"


@pytest.mark.parametrize("arguments", [("nobody",), ("olga", "--days", "0"), ("olga", "--days", "99999999")])
def test_the_command_refuses_what_it_cannot_do(user, arguments):
    with pytest.raises(CommandError):
        call_command("token", *arguments)
    assert not Token.objects.exists()
