"""`pip install .` in new environments: the `tercast` command, and what each extra adds."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.networks import example

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.full
SETTINGS = "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'controlplane.config.settings'; "
DRIVERS = "import kombu.transport.redis, channels_redis.core, django.core.cache.backends.redis, psycopg; "
PAGE = (
    "import django; django.setup(); from django.test import Client; "
    "page = Client(headers={'host': 'localhost'}).get('/login/'); assert page.status_code == 200, page; "
    "from django.contrib.staticfiles.finders import find; assert find('live/live.css')"
)
ADDS = {
    "client": "from tercast.telemetry.sinks import FolderSink; FolderSink('.')",
    "compiled": "from tercast.runtime.kernel_cache import prepare; assert prepare()",
    "controller": "import runpy; runpy.run_module('controller_app', run_name='__main__')",
    "server": SETTINGS + DRIVERS + PAGE,
    "analytics": "from analytics import session, matching, jobs",
    "labs": "from mininet_labs.demo import quotes, run; run.DEFAULT_TOPOLOGY.open()",
}
"""By extra: commands that work with it, and fail without it because a package is missing."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tracked files, because an installation builds in its source folder."""
    folder = tmp_path_factory.mktemp("source")
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def bare(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with Tercast and no extra."""
    return install(source, tmp_path_factory.mktemp("bare"), "")


def install(source: Path, folder: Path, extra: str) -> Path:
    run(sys.executable, "-m", "venv", str(folder))
    run(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", f"{source}{extra}")
    return folder / "bin"


def run(*command: str, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


def test_the_bare_installation_plans_and_verifies(bare, tmp_path):
    (tmp_path / "scenario.json").write_text(json.dumps(example()))
    tercast = str(bare / "tercast")
    run(tercast, "plan", "scenario.json", "-o", "plan.json", cwd=tmp_path)
    run(tercast, "verify", "scenario.json", "plan.json", cwd=tmp_path)
    installed = run(str(bare / "python"), "-m", "pip", "list", "--format", "freeze")
    names = {line.partition("==")[0] for line in installed.split()} - {"pip", "setuptools", "wheel"}
    assert {line.partition(" ")[0] for line in names} == {"numpy", "tercast"}


@pytest.mark.parametrize("extra", ADDS)
def test_an_extra_installs_what_its_name_says(extra, source, bare, tmp_path):
    code = ADDS[extra]
    arguments = ["--help"] if extra == "controller" else []
    missing = subprocess.run(
        [str(bare / "python"), "-c", code, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert missing.returncode != 0
    binaries = install(source, tmp_path / "environment", f"[{extra}]")
    run(str(binaries / "python"), "-c", code, *arguments, cwd=tmp_path)
