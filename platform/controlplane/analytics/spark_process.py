"""The process that runs Spark, in its own group, which ends with all its children."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from controlplane.common import child_process
from controlplane.common.child_process import ChildProcess

LOG_BYTES = 16 * 1024
GRACE = 10.0
"""Seconds for a process to end after SIGTERM."""

NICE = 5
"""Niceness of Spark, so that the planner and the web server have priority."""


@dataclass(frozen=True, slots=True)
class SparkProcess:
    """A started `python -m analytics` in its own process group, with its output folder."""

    process: ChildProcess
    folder: Path

    @property
    def status(self) -> int | None:
        """Exit status; None while it runs."""
        return self.process.status

    def progress(self) -> dict[str, Any]:
        """Return its last report: stage, numbers of tasks, or a refusal; {} before the first one."""
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / PROGRESS).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else {}
        return {}

    def log_tail(self) -> str:
        """Return the end of its log."""
        return child_process.log_tail(self.folder / LOG, LOG_BYTES)

    def end(self) -> None:
        """End the process and its group: first with SIGTERM, then with SIGKILL."""
        self.process.end(GRACE)


LOG, PROGRESS = "log", "progress.json"
COMMAND = (sys.executable, "-m", "analytics")


def start(folder: Path, job: str, options: Sequence[str]) -> SparkProcess:
    """Start a job that writes its result and its log into `folder`.

    Spark's own processes end with this process, because it holds their standard input.
    """
    env = settings.ENV
    arguments = [*COMMAND, job, "--telemetry", env.spark_telemetry]
    arguments += ["--out", str(folder), "--progress", str(folder / PROGRESS)]
    arguments += ["--master", env.spark_master, "--memory", env.spark_memory, *options]
    process = child_process.start(arguments, group=True, nice=NICE, folder=folder, log=folder / LOG)
    return SparkProcess(process, folder)
