"""A database of an earlier release is migrated, or restored from its backup, and planned from."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.controlplane.own_database import empty_database
from tests.support.controlplane.worker_processes import ROOT

PROGRAM = ROOT / "tests/support/controlplane/old_release.py"
OLD_BACKUP = PROGRAM.with_name("backup-acb6309.zip")


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


def check(report: dict, subscriptions: int, failed: int = 0) -> None:
    assert report["subscriptions"] == subscriptions
    assert (report["open"], report["failed"], report["differences"]) == (0, failed, [])
    assert report["entries"] == report["expected"] > 0


@pytest.mark.servers
@pytest.mark.full
def test_25000_subscriptions_of_an_earlier_release(tmp_path):
    with empty_database(tmp_path) as url:
        check(upgraded(tmp_path, url, "25000"), 25_000)


def test_a_backup_of_an_earlier_release_is_restored_and_brought_forward(tmp_path):
    url = f"sqlite://{tmp_path / 'old.sqlite3'}"
    report = upgraded(tmp_path, url, "200", "--by-backup", str(tmp_path / "old.zip"))
    check(report, 200)
    assert (tmp_path / "restored.sqlite3").exists()


def test_a_backup_that_an_earlier_release_wrote_is_restored(tmp_path):
    url = f"sqlite://{tmp_path / 'own.sqlite3'}"
    report = upgraded(tmp_path, url, "--restore", str(OLD_BACKUP))
    check(report, 4, failed=1)
    assert report["filters"] == [
        ["celsius >= 32", "active"],
        ['celsius < 0 and note prefix "ice"', "active"],
        ['city in ("Seattle", "Denver")', "active"],
        ["celsius = 5", "withdrawn"],
        ["", "active"],
    ]
    secrets = tmp_path / "state" / "secrets"
    assert len((secrets / "operator-token").read_text().strip()) == 51
