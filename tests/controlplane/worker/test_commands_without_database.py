"""Commands of `manage.py` end with one sentence if the database cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, ProgrammingError

ROOT = Path(__file__).resolve().parents[3]


def test_a_database_without_tables_names_prepare(tmp_path):
    environment = {**os.environ, "TERCAST_STATE_DIR": str(tmp_path)}
    environment.pop("TERCAST_DATABASE_URL", None)
    command = [sys.executable, "manage.py", "reconcile"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    remedy = "run manage.py prepare, which creates and migrates the tables"
    cause = "no such table: network_switch"
    assert ended.stderr == f"CommandError: the database cannot be used: {cause}; {remedy}\n"
    assert ended.returncode == 1


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OperationalError("no such column: a.b"), "no such column: a.b; run manage.py prepare, "),
        (
            ProgrammingError('relation "a" does not exist'),
            'relation "a" does not exist; run manage.py prepare, ',
        ),
        (
            OperationalError("connection refused\n\tIs it running?"),
            "connection refused Is it running; check that ",
        ),
    ],
)
def test_the_remedy_fits_the_cause(error, text, monkeypatch):
    def fail():
        raise error

    monkeypatch.setattr("controlplane.deployment.switch_sync.switches", fail)
    with pytest.raises(CommandError) as refused:
        call_command("reconcile")
    assert str(refused.value).startswith(f"the database cannot be used: {text}")
    assert refused.value.__cause__ is error
