"""docs/deploy.md, followed to its end on a copy of this machine, with its commands, units and settings.

PostgreSQL, Redis, nginx with TLS, four web processes, two workers, switches over TLS, a Spark cluster,
an upgrade, a backup and a restore are real. A script that runs the units replaces systemd
(tests/support/deploy/systemd_stand_in.py).
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.deploy.guide_machine import Block, Machine, machine, read_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
BLOCKS = read_blocks(PAGE)
SOURCE = "/srv/tercast.git"
NAME = "tercast.example.org"
pytestmark = [pytest.mark.full, pytest.mark.fabric, pytest.mark.spark]
SCENE = ROOT / "tests" / "support" / "deploy" / "guide_scene.py"
PYTHON = "/opt/tercast/.venv/bin/python"


def can_unshare() -> str:
    """Return why namespaces cannot be created here; empty if they can."""
    if os.geteuid():
        return "it needs root"
    command = ["unshare", "--mount", "--pid", "--net", "--fork", "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr.strip()


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    if reason := can_unshare():
        pytest.skip(f"the machine cannot be copied: {reason}")
    folder = Path(f"/tmp/tg{os.getpid()}")
    folder.mkdir()
    try:
        with machine(folder) as made:
            publish(made, "the version that is installed first")
            hosts = made.root / "etc/hosts"
            own = f"127.0.0.1 localhost {NAME} {socket.gethostname()}\n::1 localhost\n"
            hosts.write_text(own)
            yield made
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(copy: Machine, message: str) -> None:
    """Commit the files of this worktree to the repository that the guide clones."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    target = copy.root / SOURCE.lstrip("/")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    (target / "VERSION").write_text(f"{message}\n")
    git = f"git -C {SOURCE} -c user.name=test -c user.email=test@example.org"
    start = f"test -d {SOURCE}/.git || git init --quiet --initial-branch=main {SOURCE}; "
    copy.run("bash", "-ec", f"{start}{git} add --all; {git} commit --quiet --message '{message}'")


def follow(copy: Machine, section: str) -> None:
    """Run the blocks of a section in one shell, so that its variables are kept."""
    state = "/root/guide-variables"
    blocks = [block for block in BLOCKS if block.section == section]
    assert blocks, f"docs/deploy.md has no runnable block in {section!r}"
    for block in blocks:
        copy.run("bash", "-c", script(block, state), online=block.online, seconds=1800)


def script(block: Block, state: str) -> str:
    text = block.text.replace("git clone URL ", f"git clone --quiet {SOURCE} ")
    return (
        f"set -euo pipefail\ntouch {state}; set -a; . {state}; set +a\ncd /opt/tercast 2>/dev/null || cd /\n"
        f"{text}\ndeclare -p NAME PASSWORD 2>/dev/null | sed 's/^declare -[-x]* //' > {state} || true\n"
    )


def scene(copy: Machine, step: str) -> None:
    """Run a step of the scenario with the Python of the installation, as its user."""
    shutil.copy(SCENE, copy.root / "srv" / SCENE.name)
    copy.run(PYTHON, f"/srv/{SCENE.name}", step, seconds=900)


@pytest.fixture(scope="module")
def installed(copy: Machine) -> Iterator[Machine]:
    """Yield the machine after the first section of the guide, with connected switches."""
    follow(copy, "Install")
    shutil.copy(SCENE, copy.root / "srv" / SCENE.name)
    with (copy.root / "srv/network.log").open("w") as log:
        copy.popen(PYTHON, f"/srv/{SCENE.name}", "network", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    yield copy


def main_pid(copy: Machine, unit: str) -> str:
    return (copy.root / "run/stand-in" / f"{unit}.service" / "pid").read_text()


def test_the_installation_delivers(installed):
    scene(installed, "deliver")
    processes = installed.run("ps", "-eo", "user:20,args").splitlines()
    own = [line for line in processes if "/opt/tercast/.venv" in line and "guide_scene" not in line]
    assert {line.split()[0] for line in own} == {"tercast"}
    assert sum("multiprocessing" in line and "spawn_main" in line for line in own) == 4
    assert sum("-n worker-" in line for line in own) == 2


def test_no_unit_has_restarted_and_all_run(installed):
    folders = [path for path in (installed.root / "run/stand-in").iterdir() if path.suffix == ".service"]
    assert len(folders) == 7
    restarted = {
        path.name: (path / "log").read_text()[-3000:] for path in folders if (path / "restarts").exists()
    }
    assert restarted == {}


def test_a_spark_cluster_of_the_installation_runs_a_job(installed):
    follow(installed, "A Spark cluster")
    scene(installed, "analytics")


def test_an_upgrade_keeps_everything(installed):
    publish(installed, "the version after it")
    before = main_pid(installed, "tercast-web")
    follow(installed, "Upgrade")
    assert (installed.root / "opt/tercast/VERSION").read_text() == "the version after it\n"
    assert main_pid(installed, "tercast-web") != before
    scene(installed, "deliver")
    backups = list((installed.root / "var/backups/tercast").iterdir())
    assert sorted(path.name.partition("-")[0] for path in backups) == ["before", "tercast"]
    assert [path for path in backups if path.stat().st_mode & 0o077] == []


def test_a_restore_brings_back_the_state_of_the_backup(installed):
    scene(installed, "subscribe_later")
    follow(installed, "Back up and restore")
    scene(installed, "is_restored")
    scene(installed, "deliver")


def test_the_old_version_comes_back(installed):
    scene(installed, "subscribe_later")
    follow(installed, "Go back to the old version")
    assert (installed.root / "opt/tercast/VERSION").read_text() == "the version that is installed first\n"
    scene(installed, "is_restored")
    scene(installed, "deliver")
