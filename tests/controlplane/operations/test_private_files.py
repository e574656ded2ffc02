"""State, database and telemetry are readable by their owner alone; what was not is corrected and named."""

import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.operations.backup.data_files import correct_modes
from controlplane.operations.backup.secret_checks import check_data

ROOT = Path(__file__).parents[3]
ENTRIES = ("manage.py", "controller_app/__main__.py", "analytics/__main__.py", "mininet_labs/__main__.py")
ENTRIES += ("platform/controlplane/config/asgi.py", "platform/controlplane/common/celery.py")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def env(settings, tmp_path):
    """An installation of an earlier release, whose files all users may read."""
    state, telemetry = tmp_path / "state", tmp_path / "telemetry"
    database = state / "tercast.sqlite3"
    for folder in (state, telemetry):
        folder.mkdir()
        folder.chmod(0o755)
    for name in ("", "-wal"):
        path = Path(f"{database}{name}")
        path.write_text("x")
        path.chmod(0o644)
    names = {"ENGINE": "django.db.backends.sqlite3", "NAME": database}
    settings.ENV = replace(settings.ENV, state_dir=state, telemetry=telemetry, database=names)
    return settings.ENV


def test_what_others_can_read_is_named_and_corrected(env):
    found = check_data(None)
    assert {message.id for message in found} == {"tercast.W001"} and len(found) == 4
    assert any(message.hint == f"chmod 700 {env.state_dir}" for message in found)
    changed = correct_modes(env)
    assert len(changed) == 4 and mode(env.state_dir) == 0o700 and mode(changed[-1]) == 0o600
    assert check_data(None) == [] and correct_modes(env) == []


def test_files_of_another_user_are_left_and_named(env, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    assert correct_modes(env) == [] and len(check_data(None)) == 4


def test_a_database_on_a_server_has_no_file(env, settings):
    settings.ENV = replace(env, database={"ENGINE": "django.db.backends.postgresql", "NAME": "tercast"})
    assert {message.hint for message in check_data(None)} == {
        f"chmod 700 {env.state_dir}",
        f"chmod 700 {env.telemetry_root}",
    }


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_program_keeps_its_files_private(entry):
    assert "keep_private()" in (ROOT / entry).read_text()


def test_units_keep_their_files_private():
    units = list((ROOT / "deploy" / "systemd").glob("*.service"))
    assert units and all("UMask=0077" in path.read_text() for path in units)


def test_files_of_a_program_are_its_owners_alone(tmp_path):
    code = "from tercast.runtime.private_files import keep_private; keep_private(); import os, sys;"
    code += " os.mkdir(sys.argv[1]); open(sys.argv[1] + '/file', 'w').close()"
    path = {**os.environ, "PYTHONPATH": str(ROOT / "platform")}
    made = tmp_path / "made"
    subprocess.run([sys.executable, "-c", code, str(made)], env=path, check=True, umask=0o022)
    assert (mode(made), mode(made / "file")) == (0o700, 0o600)
