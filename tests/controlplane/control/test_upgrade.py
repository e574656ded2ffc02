"""A database of an earlier release is migrated, or restored from its backup, and planned from."""

import json
import os
import secrets
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from control_workers import ROOT
from django.db import connection

PROGRAM = Path(__file__).parent / "old_release.py"


@contextmanager
def empty_database(folder: Path):
    """The URL of a database without tables: a file, or one of the server that the tests run on."""
    if connection.vendor == "sqlite":
        yield f"sqlite://{folder / 'old.sqlite3'}"
        return
    name = f"old_{secrets.token_hex(4)}"
    found = connection.settings_dict
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    try:
        yield f"postgresql://{found['USER']}:{found['PASSWORD']}@{found['HOST']}:{found['PORT']}/{name}"
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def upgraded(folder: Path, url: str, *arguments: str) -> dict:
    own = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        env=own | {"TERCAST_STATE_DIR": str(folder / "state"), "TERCAST_DATABASE_URL": url},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(report: dict, subscriptions: int) -> None:
    assert report["subscriptions"] == subscriptions
    assert (report["open"], report["differences"]) == (0, [])
    assert report["entries"] == report["expected"] > 0


@pytest.mark.full
def test_25000_subscriptions_of_an_earlier_release(transactional_db, tmp_path):
    with empty_database(tmp_path) as url:
        check(upgraded(tmp_path, url, "25000"), 25_000)


def test_a_backup_of_an_earlier_release_is_restored_and_brought_forward(tmp_path):
    url = f"sqlite://{tmp_path / 'old.sqlite3'}"
    report = upgraded(tmp_path, url, "200", "--by-backup", str(tmp_path / "old.zip"))
    check(report, 200)
    assert (tmp_path / "restored.sqlite3").exists()
