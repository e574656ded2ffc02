"""Answers of calls and pages without disk space, with a locked database, or without descriptors or memory."""

import errno
import html
import sqlite3

import psycopg
import pytest
from django.db import InternalError, OperationalError, connection
from django.test import Client, RequestFactory
from rest_framework.test import APIClient

from controlplane.accounts import tokens
from controlplane.accounts.models import Token
from controlplane.accounts.tokens import issue_token
from controlplane.common import database_patience
from controlplane.common.database_patience import waiting_at_most
from controlplane.rest import exception_handler, outages


def sqlite(code, text):
    error = OperationalError(text)
    error.__cause__ = sqlite3.OperationalError(text)
    error.__cause__.sqlite_errorcode = code
    return error


def postgresql(kind, shown=OperationalError):
    error = shown("the driver's words")
    error.__cause__ = kind("the driver's words")
    return error


FULL_WAL = sqlite3.SQLITE_IOERR | 18 << 8  # SQLITE_IOERR_SHMOPEN: the last byte of extended codes decides
ERRORS = [
    (sqlite(sqlite3.SQLITE_FULL, "database or disk is full"), 507, "disk_full"),
    (sqlite(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"), 503, "read_only"),
    (sqlite(FULL_WAL, "disk I/O error"), 503, "storage_fault"),
    (sqlite(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), 503, "no_descriptors"),
    (sqlite(sqlite3.SQLITE_BUSY, "database is locked"), 503, "busy"),
    (sqlite(sqlite3.SQLITE_NOMEM, "out of memory"), 503, "no_memory"),
    (postgresql(psycopg.errors.DiskFull), 507, "disk_full"),
    (postgresql(psycopg.errors.ReadOnlySqlTransaction, InternalError), 503, "read_only"),
    (postgresql(psycopg.errors.IoError), 503, "storage_fault"),
    (postgresql(psycopg.errors.OutOfMemory), 503, "no_memory"),
    (postgresql(psycopg.errors.LockNotAvailable), 503, "busy"),
    (postgresql(psycopg.OperationalError), 503, "busy"),
    (OSError(errno.ENOSPC, "No space left on device"), 507, "disk_full"),
    (OSError(errno.EDQUOT, "Disk quota exceeded"), 507, "disk_full"),
    (OSError(errno.EROFS, "Read-only file system"), 503, "read_only"),
    (OSError(errno.EIO, "Input/output error"), 503, "storage_fault"),
    (OSError(errno.EMFILE, "Too many open files"), 503, "no_descriptors"),
    (MemoryError(), 503, "no_memory"),
]
OURS = [
    sqlite(sqlite3.SQLITE_ERROR, "no such table: t"),
    postgresql(psycopg.errors.UndefinedTable),
    OSError(errno.ENOENT, "No such file or directory"),
    ValueError("ours"),
]


@pytest.mark.parametrize("error, status, code", ERRORS, ids=[str(row[0]) for row in ERRORS])
def test_each_cause_has_its_status_and_remedy(error, status, code):
    problem = exception_handler.as_problem(error)
    assert (problem.status, problem.code) == (status, code)
    assert int(problem.headers["Retry-After"]) >= 1
    assert "again" in problem.detail


@pytest.mark.parametrize("error", [OURS[0], *OURS[2:]], ids=str)
def test_other_faults_stay_server_errors(error):
    assert exception_handler.as_problem(error) is None


def test_an_io_error_on_a_full_disk_is_a_full_disk(monkeypatch):
    monkeypatch.setattr(outages, "LEAST_BYTES", 1 << 80)
    for code in (FULL_WAL, sqlite3.SQLITE_CANTOPEN):
        assert exception_handler.as_problem(sqlite(code, "disk I/O error")).code == "disk_full"


def test_a_web_process_keeps_the_log_of_sqlite(tmp_path, monkeypatch):
    path = tmp_path / "x.sqlite3"
    sqlite3.connect(path).execute("PRAGMA journal_mode = WAL")
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}
    monkeypatch.setattr(database_patience.settings, "DATABASES", {"default": database})
    monkeypatch.setattr(database_patience, "_kept_open", [])
    database_patience.keep_readable()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (x)")
    other.close()
    assert (tmp_path / "x.sqlite3-shm").exists()
    database_patience._kept_open[0].close()


def test_a_page_outside_of_the_api_says_it_in_html():
    request = RequestFactory().get("/login/")
    try:
        raise sqlite(sqlite3.SQLITE_BUSY, "database is locked")
    except OperationalError:
        answer = exception_handler.server_error(request)
    text = html.unescape(answer.content.decode())
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert answer.headers["Content-Type"].startswith("text/html")
    assert outages.LOCKED.cause in text and outages.LOCKED.remedy.split(";")[0] in text


@pytest.fixture
def token(db, django_user_model):
    return issue_token(django_user_model.objects.create(username="vera"), "test")


@pytest.fixture
def read_only(db, monkeypatch):
    """Let the database refuse writes; return SQLite's own answer to one."""
    if connection.vendor != "sqlite":
        pytest.skip("PRAGMA query_only is SQLite's")
    monkeypatch.setattr(tokens, "_next_attempt", {"at": float("-inf")})

    def switch(on):
        connection.connection.execute(f"PRAGMA query_only = {int(on)}")  # also in a failed transaction

    yield lambda: switch(True)
    switch(False)


def test_reads_go_on_and_note_nothing(token, read_only):
    caller = APIClient()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    read_only()
    for path in ("topics/", "subscriptions/", "me/", "requests/", "alarms/"):
        answer = caller.get(f"/api/v1/{path}")
        assert answer.status_code == 200, (path, answer.content)
    assert Token.objects.get().last_used_at is None
    answer = caller.get("/metrics")
    assert answer.status_code == 200


def test_writes_are_refused_with_the_cause(operator, read_only):
    operator.get("topics/")
    read_only()
    answer = operator.post("topics/", {"name": "a", "attributes": []})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:tercast:problem:read_only")
    assert answer.headers["Retry-After"] == "30"


def test_the_log_in_page_says_that_nobody_can_log_in(db, django_user_model, read_only):
    django_user_model.objects.create_user("vera", password="a long password")
    browser = Client(raise_request_exception=False)
    read_only()
    assert browser.get("/login/").status_code == 200
    answer = browser.post("/login/", {"username": "vera", "password": "a long password"})
    assert answer.status_code == 503
    assert outages.READ_ONLY.cause in html.unescape(answer.content.decode())


def test_last_use_is_recorded_again_after_a_pause(token, read_only, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(tokens.time, "monotonic", lambda: now[0])
    row = tokens.find_token(token)
    read_only()
    tokens.note_use(row)
    connection.connection.execute("PRAGMA query_only = 0")
    tokens.note_use(row)
    assert Token.objects.get().last_used_at is None
    now[0] += tokens.RETRY_SECONDS + 1
    tokens.note_use(row)
    assert Token.objects.get().last_used_at is not None


def test_a_wait_is_restored(db):
    def wait():
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SHOW lock_timeout")
            return cursor.fetchone()[0]

    before = wait()
    with waiting_at_most(321):
        assert wait() in (321, "321ms")
    assert wait() == before
