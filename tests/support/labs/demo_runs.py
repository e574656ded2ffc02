"""Runs of the demo in a folder of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.waiting import LIMIT_SECONDS, wait_until


class Run:
    """A start of the demo in its own run directory."""

    def __init__(self, run_dir: Path, *arguments: str, log: str = ".out") -> None:
        self.log = run_dir.with_suffix(log)
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mininet_labs", "run", "--port", "8300", *arguments],
                env={**os.environ, "TERCAST_RUN_DIR": str(run_dir)},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def text(self) -> str:
        return self.log.read_text()

    def wait_for(self, words: str) -> None:
        def there() -> bool:
            assert self.process.poll() is None or words in self.text(), self.text()
            return words in self.text()

        wait_until(repr(words), there)

    def end(self, timeout: float = LIMIT_SECONDS) -> int:
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(self.text()) from None


def processes_of(run_dir: Path) -> list[psutil.Process]:
    """Return the processes that name the run directory in their command line or environment."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), *process.environ().values()]
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
        if process.pid != os.getpid() and any(str(run_dir) in word for word in words):
            found.append(process)
    return found


def nothing_runs(run_dir: Path) -> bool:
    return not processes_of(run_dir)


@pytest.fixture
def run_dir() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tercast-demo-", dir="/tmp"))
    yield folder / "run"
    for process in processes_of(folder / "run"):
        process.kill()
    shutil.rmtree(folder)
