"""`manage.py token`: a token for a user with a shell on the machine and without a log-in."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from controlplane.accounts.models import Token
from controlplane.accounts.trail.models import Action
from tests.support.controlplane.api_fixtures import *  # noqa: F403 - fixtures


def issue(user, **options):
    out = StringIO()
    call_command("token", user, stdout=out, **options)
    return out.getvalue().strip()


@pytest.fixture
def ada(make_user):
    return make_user("ada", "administrator")


def test_a_token_has_the_scopes_asked_for_and_is_in_the_trail(ada, anonymous, administrator):
    text = issue("ada", scopes="write, read")
    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    assert anonymous.get("topics/").status_code == 200
    assert anonymous.get("users/").status_code == 403
    token = Token.objects.get(user=ada)
    assert token.scopes == ["read", "write"]
    noted = Action.objects.get(method="command")
    assert (noted.resource, noted.object, noted.outcome) == ("tokens", f"/api/v1/tokens/{token.pk}/", "done")
    assert "ada" in noted.detail and "read,write" in noted.detail and text not in noted.detail
    (shown,) = administrator.get("audit/actions/?method=command").json()["results"]
    assert shown["actor"] is None and shown["detail"] == noted.detail


def test_without_scopes_it_is_good_for_all(ada):
    issue("ada")
    assert Token.objects.get(user=ada).scopes == ["read", "write", "admin"]


@pytest.mark.parametrize(
    "options, says",
    [
        ({"scopes": "read,everything"}, "everything"),
        ({"scopes": ""}, "read, write, admin"),
        ({"scopes": "client"}, "client"),
        ({"name": "x" * 101}, "100"),
        ({"name": ""}, "100"),
        ({"days": 0}, "36500"),
    ],
)
def test_bad_options_are_refused_by_name(ada, options, says):
    with pytest.raises(CommandError, match=says):
        issue("ada", **options)
    assert not Token.objects.exists() and not Action.objects.exists()


def test_there_are_not_too_many(ada, monkeypatch):
    monkeypatch.setattr("controlplane.worker.management.commands.token.MOST", 1)
    issue("ada")
    with pytest.raises(CommandError, match="revoke"):
        issue("ada")
