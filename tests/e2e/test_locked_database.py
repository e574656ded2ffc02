"""A database that another process has locked: pages, REST and health report this soon, and recover."""

import os
import secrets
import sqlite3
import time
from contextlib import contextmanager

import httpx
import psycopg
import pytest
from e2e_platform import PASSWORD, ControlPlane

pytestmark = pytest.mark.full

WAIT_SECONDS = 1
SOON = 20.0
"""Seconds until an answer must arrive: the wait for the lock, plus the time of a busy machine."""

LOCKED_TABLES = [("accounts_token", "auth_user", "django_session"), ("control_request",)]


def own_database():
    """Yield the URL of a new database of the server in the environment; "" for SQLite."""
    url = os.environ.get("TERCAST_DATABASE_URL", "")
    if not url.startswith("postgres"):
        return ""
    name = f"locked_{secrets.token_hex(4)}"
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    return f"{url.rpartition('/')[0]}/{name}"


@pytest.fixture(scope="module")
def plane():
    url = own_database()
    settings = {"TERCAST_DATABASE_WAIT_SECONDS": str(WAIT_SECONDS)}
    plane = ControlPlane(settings | ({"TERCAST_DATABASE_URL": url} if url else {}))
    plane.url = url
    try:
        plane.prepare()
        plane.do("create_user", name="otto", password=PASSWORD, group="operator")
        plane.token = plane.do("issue_token", user="otto")
        plane.start()
        yield plane
    finally:
        plane.close()


@contextmanager
def locked(plane, tables):
    """Hold a lock in another connection: these tables of PostgreSQL, or all of SQLite for writes."""
    if plane.url:
        with psycopg.connect(plane.url) as other:
            other.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS EXCLUSIVE MODE")
            yield
        return
    other = sqlite3.connect(plane.folder / "state" / "tercast.sqlite3", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    yield
    other.execute("COMMIT")
    other.close()


def timed(method, url, **options):
    before = time.monotonic()
    answer = httpx.request(method, url, timeout=120, trust_env=False, **options)
    assert time.monotonic() - before < SOON, (url, answer.status_code)
    return answer


def log_in(plane):
    with httpx.Client(base_url=plane.base, timeout=120, trust_env=False) as browser:
        page = browser.get("/login/")
        assert page.status_code == 200
        form = {
            "username": "otto",
            "password": PASSWORD,
            "csrfmiddlewaretoken": browser.cookies["csrftoken"],
        }
        return browser.post("/login/", data=form, headers={"Referer": f"{plane.base}/login/"})


@pytest.mark.parametrize("tables", LOCKED_TABLES, ids=lambda tables: tables[0])
def test_everything_answers_while_it_is_locked_and_works_afterwards(plane, tables):
    headers = {"Authorization": f"Bearer {plane.token}"}
    topic = {"name": f"t-{tables[0]}", "attributes": [{"name": "n", "type": "int", "min": 0, "max": 7}]}
    api = f"{plane.base}/api/v1"
    with locked(plane, tables):
        answer = timed("POST", f"{api}/topics/", json=topic, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:tercast:problem:busy"), answer.text
        assert int(answer.headers["Retry-After"]) >= 1
        assert timed("GET", f"{plane.base}/login/").status_code == 200
        health = timed("GET", f"{api}/health/", headers=headers)
        assert {row["name"] for row in health.json()["checks"]} >= {"database"}
        if not plane.url or "auth_user" in tables:
            page = log_in(plane)
            assert page.status_code == 503 and page.headers["Content-Type"].startswith("text/html")
            assert "Not available at the moment" in page.text and int(page.headers["Retry-After"]) >= 1
    assert timed("POST", f"{api}/topics/", json=topic, headers=headers).status_code in (201, 202)
    assert log_in(plane).status_code == 302
