"""The process that runs Spark: started in a group of its own, watched, and ended with all that it started."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from controlplane.common.child_processes import die_with_parent, environment
from tercast.runtime.wording import whole_characters

LOG_BYTES = 16 * 1024
GRACE = 10.0
"""Seconds that a process has to end by itself once it is told to."""

NICE = 5
"""Spark takes what time the planner and the web server leave."""


@dataclass(slots=True)
class Child:
    """A started `python -m analytics`; its group is its own."""

    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self.process.poll()

    def progress(self) -> dict[str, Any]:
        """What it last told: its stage, tasks done of how many, or why it was refused; {} before."""
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / PROGRESS).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else {}
        return {}

    def log_tail(self) -> str:
        """The end of what it wrote, without characters that a database refuses."""
        with suppress(OSError), (self.folder / LOG).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_BYTES))
            return whole_characters(log.read()).replace("\0", "")
        return ""

    def end(self) -> None:
        """End the process and its group: politely at first, then for certain."""
        self._signal(signal.SIGTERM)
        end = time.monotonic() + GRACE
        while self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)


LOG, PROGRESS = "log", "progress.json"
COMMAND = (sys.executable, "-m", "analytics")


def start(folder: Path, job: str, options: Sequence[str]) -> Child:
    """Start a job that writes its result and its log into `folder`."""
    env = settings.ENV
    arguments = [*COMMAND, job, "--telemetry", env.spark_telemetry]
    arguments += ["--out", str(folder), "--progress", str(folder / PROGRESS)]
    arguments += ["--master", env.spark_master, "--memory", env.spark_memory, *options]
    with (folder / LOG).open("wb") as log:
        process = subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_begin,  # noqa: PLW1509 - the worker's pool has no threads
        )
    return Child(process, folder)


def _begin() -> None:
    die_with_parent()  # Spark's own processes end when this one is gone: it holds their standard input
    os.nice(NICE)
