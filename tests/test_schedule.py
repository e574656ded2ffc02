"""`make test` gives a whole group to one process, and the groups that take longest start first."""

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests import schedule
from tests.schedule import GROUPS, group_of

ROOT = Path(__file__).resolve().parents[1]
SOURCE = """
import pytest
pytestmark = [{marks}]
@pytest.mark.parametrize("number", range(4))
def test_number(number):
    pass
"""
MARKS = {
    "tests/core/test_plain.py": "",
    "tests/core/test_second.py": "",
    "tests/labs/test_switches.py": "pytest.mark.fabric",
    "tests/e2e/test_first_page.py": "pytest.mark.browser",
    "tests/e2e/test_second_page.py": "pytest.mark.browser",
    "tests/e2e/test_welcome_page.py": "pytest.mark.browser",
}


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  browser\n  fabric\n")
    shutil.copy(schedule.__file__, tmp_path)
    for path, marks in MARKS.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SOURCE.format(marks=marks))
    return tmp_path


def run(suite, *options):
    """Return the lines that pytest prints for the tests of the suite."""
    plugins = ("-p", "no:cacheprovider", "-p", "schedule")
    words = [sys.executable, "-m", "pytest", "-v", "--import-mode=importlib", *plugins, *options]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(suite)}
    done = subprocess.run(words, cwd=suite, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_a_group_runs_in_one_process(suite):
    processes = defaultdict(set)
    for line in run(suite, "-n", "2", "--dist", "loadgroup", "--no-loadscope-reorder"):
        if found := re.match(r"\[(gw\d)\] .* PASSED (\S+)", line):
            processes[group_of(found[2])].add(found[1])
    assert {group: len(names) for group, names in processes.items()} == dict.fromkeys(
        {group_of(path) for path in MARKS}, 1
    )
    assert len(processes) < len(MARKS)


def test_groups_stay_together_and_the_longest_start_first(suite):
    files = [line.partition("::")[0] for line in run(suite, "-p", "no:xdist") if " PASSED" in line]
    assert list(dict.fromkeys(files)) == [
        "tests/e2e/test_first_page.py",
        "tests/e2e/test_second_page.py",
        "tests/e2e/test_welcome_page.py",
        "tests/labs/test_switches.py",
        "tests/core/test_plain.py",
        "tests/core/test_second.py",
    ]
    assert len(files) == 4 * len(MARKS)


def test_the_longest_beginning_decides():
    assert group_of("tests/e2e/test_topics_page.py::test_a[b/c]") == "platform"
    assert group_of("tests/e2e/test_stream_server.py::test_a") == "control plane"
    assert (
        group_of("tests/core/verification/test_verifier.py::test_a")
        == "tests/core/verification/test_verifier.py"
    )


@pytest.mark.parametrize("beginning", GROUPS)
def test_the_groups_name_what_exists(beginning):
    assert (ROOT / beginning).exists()
