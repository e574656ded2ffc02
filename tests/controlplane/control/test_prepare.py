"""`manage.py prepare` on a machine that has nothing, and again."""

import os
import sqlite3
import stat
import subprocess
import sys

import pytest
from control_workers import ROOT

AUDIT = """SELECT every, expire_seconds, enabled FROM django_celery_beat_periodictask t
    JOIN django_celery_beat_intervalschedule i ON t.interval_id = i.id WHERE name = 'audit the tables'"""


@pytest.fixture
def prepare(tmp_path):
    env = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
    env |= {"TERCAST_STATE_DIR": str(tmp_path / "state")}

    def run(**more: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "manage.py", "prepare"],
            cwd=ROOT,
            env=env | more,
            capture_output=True,
            text=True,
            check=True,
        )

    return run


def rows(tmp_path, query: str) -> list:
    with sqlite3.connect(tmp_path / "state" / "tercast.sqlite3") as database:
        return database.execute(query).fetchall()


def test_it_makes_everything_and_changes_nothing_when_it_runs_again(prepare, tmp_path):
    out = prepare().stdout
    assert len(out.splitlines()) >= 5
    secrets = tmp_path / "state" / "secrets"
    files = {path.name: path.read_text() for path in secrets.iterdir()}
    assert {"admin-password", "operator-token", "northbound-token", "django-secret-key"} <= files.keys()
    assert {stat.S_IMODE(path.stat().st_mode) for path in secrets.iterdir()} == {0o600}
    assert not [value for value in files.values() if value.strip() in out]  # secrets are not shown
    tables = (
        "auth_user",
        "auth_group",
        "auth_user_groups",
        "accounts_token",
        "django_celery_beat_periodictask",
    )
    before = [rows(tmp_path, f"SELECT * FROM {table}") for table in tables]
    assert [len(found) for found in before[:4]] == [2, 3, 2, 1]
    prepare()
    assert {path.name: path.read_text() for path in secrets.iterdir()} == files
    assert [rows(tmp_path, f"SELECT * FROM {table}") for table in tables] == before


def test_a_token_that_was_revoked_is_replaced(prepare, tmp_path):
    prepare()
    token = (tmp_path / "state/secrets/operator-token").read_text()
    with sqlite3.connect(tmp_path / "state" / "tercast.sqlite3") as database:
        database.execute("UPDATE accounts_token SET revoked_at = created_at")
    prepare()
    assert (tmp_path / "state/secrets/operator-token").read_text() != token


def test_the_environment_says_how_often_tables_are_audited(prepare, tmp_path):
    prepare()
    assert rows(tmp_path, AUDIT) == [(300, 300, 1)]
    prepare(TERCAST_AUDIT_SECONDS="60")
    assert rows(tmp_path, AUDIT) == [(60, 60, 1)]
    prepare()  # as it was left
    assert rows(tmp_path, AUDIT) == [(60, 60, 1)]
    prepare(TERCAST_AUDIT_SECONDS="0")
    assert [enabled for _, _, enabled in rows(tmp_path, AUDIT)] == [0]
