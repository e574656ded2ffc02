"""The content security policy: on every response, strict but for named paths, with a nonce of its own."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from controlplane.live.content_security_policy import EXCEPTIONS, HEADER, policy

pytestmark = pytest.mark.django_db

PATHS = [
    "/",
    "/login/",
    "/api/v1/me/",
    "/api/v1/health/",
    "/api/nothing/",
    "/nothing/",
    "/static/live/live.css",
    "/admin/",
]


def directives(header):
    return {name: sources for name, *sources in (part.split() for part in header.split("; "))}


@pytest.fixture
def browser(client):
    client.force_login(User.objects.create_superuser("ada"))
    return client


@pytest.mark.parametrize("path", PATHS)
def test_every_response_has_the_strict_policy(browser, path):
    found = directives(browser.get(path).headers[HEADER])
    nonce = found["script-src"][1]
    assert re.fullmatch(r"'nonce-[A-Za-z0-9_-]{24}'", nonce)
    assert found == {
        "default-src": ["'self'"],
        "script-src": ["'self'", nonce],
        "style-src": ["'self'", nonce],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", "ws://testserver"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "object-src": ["'none'"],
    }


@pytest.mark.parametrize("method", ["post", "delete", "options"])
def test_refused_methods_have_it_too(client, method):
    response = getattr(client, method)("/login/")
    assert "script-src 'self' 'nonce-" in response.headers[HEADER]


def test_a_bad_host_has_it_too(client):
    response = client.get("/login/", HTTP_HOST="evil.example")
    assert response.status_code == 400
    assert directives(response.headers[HEADER])["connect-src"] == ["'self'"]


def test_each_response_has_another_nonce(browser):
    nonces = {directives(browser.get("/").headers[HEADER])["script-src"][1] for _ in range(20)}
    assert len(nonces) == 20


def test_the_page_carries_the_nonce_of_its_policy(browser):
    response = browser.get("/")
    (nonce,) = set(re.findall(r'nonce="([^"]+)"', response.content.decode()))
    assert f"'nonce-{nonce}'" in response.headers[HEADER]


def test_the_page_has_nothing_inline(browser, client):
    for path in ("/", "/login/", "/nothing/"):
        text = browser.get(path).content.decode()
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
        for script in re.findall(r"<script[^>]*>[^<]*</script>", text):
            assert re.fullmatch(r'<script type="module" src="[^"]+" nonce="[^"]+"></script>', script)


@pytest.mark.parametrize("path", EXCEPTIONS)
def test_an_exception_holds_below_its_path_and_nowhere_else(path):
    (name,) = EXCEPTIONS[path]
    inside, outside = (directives(policy(p, "n", "")) for p in (path + "x/", path.rstrip("/") + "x/"))
    assert "'unsafe-inline'" in inside[name]
    strict = directives(policy("/", "n", ""))
    assert outside == strict
    assert {**inside, name: strict[name]} == strict


def test_a_secure_page_may_open_a_secure_stream(client):
    header = client.get(reverse("login"), secure=True).headers[HEADER]
    assert directives(header)["connect-src"] == ["'self'", "wss://testserver"]
