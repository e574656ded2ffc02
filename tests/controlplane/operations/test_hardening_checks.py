"""`manage.py check --deploy` names what is open to others, and docs/security.md lists what it checks."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.operations import hardening_checks

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "security.md").read_text()
GOOD = "abcdefghijklmnopqrstuvwxyz0123456789"


def ids(messages):
    return [message.id.removeprefix("tercast.") for message in messages]


@pytest.mark.parametrize(
    ("openflow", "expected"),
    [
        (("tcp", "127.0.0.1", 6653), []),
        (("tcp", "::1", 6653), []),
        (("ssl", "0.0.0.0", 6653), []),
        (("tcp", "0.0.0.0", 6653), ["W007"]),
        (("tcp", "192.0.2.1", 6653), ["W007"]),
    ],
)
def test_openflow_leaves_the_machine_over_tls_alone(settings, openflow, expected):
    settings.ENV = replace(settings.ENV, openflow=openflow)
    assert ids(hardening_checks.check_openflow(None)) == expected


@pytest.mark.parametrize(
    ("token", "url", "expected"),
    [
        (GOOD, "http://127.0.0.1:6680", []),
        (GOOD, "http://localhost:6680", []),
        (GOOD[:31], "http://[::1]:6680", ["W008"]),
        ("ab" * 32, "http://127.0.0.1:6680", ["W008"]),
        (GOOD, "http://192.0.2.1:6680", ["W009"]),
        (GOOD, "http://controller.example:6680", ["W009"]),
    ],
)
def test_the_northbound_token_is_strong_and_stays_here(settings, token, url, expected):
    settings.NORTHBOUND_TOKEN, settings.NORTHBOUND_URL = token, url
    found = hardening_checks.check_northbound(None)
    assert ids(found) == expected and all(token not in message.msg for message in found)


@pytest.mark.parametrize(("names", "expected"), [(["a.example"], []), (["a.example", "*"], ["W010"])])
def test_pages_answer_to_their_names_alone(settings, names, expected):
    settings.ALLOWED_HOSTS = names
    assert ids(hardening_checks.check_hosts(None)) == expected


@pytest.mark.parametrize(("on", "expected"), [(True, []), (False, ["W013"])])
def test_switches_check_the_sources_of_events(settings, on, expected):
    settings.ENV = replace(settings.ENV, source_check=on)
    assert ids(hardening_checks.check_sources(None)) == expected


@pytest.mark.parametrize(("policy", "expected"), [("manual", []), ("automatic", ["W014"])])
def test_links_that_are_found_wait_for_an_operator(settings, policy, expected):
    settings.ENV = replace(settings.ENV, link_approval=policy)
    assert ids(hardening_checks.check_links(None)) == expected


@pytest.mark.parametrize(
    ("host", "mode", "redis", "expected"),
    [
        ("127.0.0.1", "", "redis://127.0.0.1/0", []),
        ("", "", "unix:///run/redis.sock", []),
        ("/run/postgresql", "", None, []),
        ("db.example", "verify-full", "rediss://:secret@redis.example/0", []),
        ("db.example", "", None, ["W011"]),
        ("db.example", "require", "redis://:secret@redis.example/0", ["W011", "W012"]),
    ],
)
def test_servers_on_other_machines_prove_themselves(settings, host, mode, redis, expected):
    database = {"ENGINE": "django.db.backends.postgresql", "HOST": host, "OPTIONS": {"sslmode": mode}}
    settings.ENV = replace(settings.ENV, database=database, redis_url=redis)
    found = hardening_checks.check_servers(None)
    assert ids(found) == expected and all("secret" not in message.msg for message in found)


def test_sqlite_is_no_server(settings):
    settings.ENV = replace(settings.ENV, database={"ENGINE": "django.db.backends.sqlite3"}, redis_url=None)
    assert hardening_checks.check_servers(None) == []


def test_the_page_lists_every_check():
    sources = (ROOT / "platform/controlplane/operations").rglob("*.py")
    made = {found for path in sources for found in re.findall(r'id="(tercast\.[WI]\d+)"', path.read_text())}
    assert made == set(re.findall(r"^\| `(tercast\.[WI]\d+)`", PAGE, re.MULTILINE)) and len(made) > 10


def test_every_link_of_the_page_leads_somewhere():
    for link in re.findall(r"\]\(([\w./-]+\.md)", PAGE):
        assert (ROOT / "docs" / link).is_file(), link
    assert "docs/security.md" in (ROOT / "README.md").read_text()
