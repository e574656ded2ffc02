"""`manage.py prepare` on a machine that has nothing, and again."""

import dataclasses
import os
import sqlite3
import stat
import subprocess
import sys

import pytest
from django.core.management import call_command
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from controlplane.accounts.models import Token
from controlplane.operations.bootstrap import OPERATOR_TOKEN
from tests.support.controlplane.worker_processes import ROOT


@pytest.fixture
def prepare(tmp_path):
    env = {key: value for key, value in os.environ.items() if not key.startswith("TERCAST_")}
    env |= {"TERCAST_STATE_DIR": str(tmp_path / "state")}

    def run() -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "manage.py", "prepare"],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )

    return run


@pytest.fixture
def prepare_here(db, settings, tmp_path):
    """Run the command in this process, with a state directory of the test's own."""
    settings.ENV = dataclasses.replace(settings.ENV, state_dir=tmp_path / "state")
    settings.ENV.secrets_dir.mkdir(parents=True)

    def run(audit_seconds: int | None = None) -> None:
        settings.ENV = dataclasses.replace(settings.ENV, audit_seconds=audit_seconds)
        call_command("prepare")

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


def test_a_token_that_was_revoked_is_replaced(prepare_here, settings):
    file = settings.ENV.secrets_dir / OPERATOR_TOKEN
    prepare_here()
    token = file.read_text()
    prepare_here()
    assert file.read_text() == token
    Token.objects.update(revoked_at=timezone.now())
    prepare_here()
    assert file.read_text() != token


def test_the_environment_says_how_often_tables_are_audited(prepare_here):
    def audits() -> tuple[int, int, bool]:
        task = PeriodicTask.objects.select_related("interval").get(name="audit the tables")
        return task.interval.every, task.expire_seconds, task.enabled

    prepare_here()
    assert audits() == (300, 300, True)
    prepare_here(60)
    assert audits() == (60, 60, True)
    prepare_here()  # as it was left
    assert audits() == (60, 60, True)
    prepare_here(0)
    assert not audits()[2]
