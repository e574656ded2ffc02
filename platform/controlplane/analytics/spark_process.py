"""The process that runs Spark: started in a group of its own, watched, and ended with all that it started."""

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
"""Seconds that a process has to end by itself once it is told to."""

NICE = 5
"""Spark takes what time the planner and the web server leave."""


@dataclass(frozen=True, slots=True)
class SparkProcess:
    """A started `python -m analytics` in a group of its own, with the folder that it writes into."""

    process: ChildProcess
    folder: Path

    @property
    def status(self) -> int | None:
        """The exit status; None while it runs."""
        return self.process.status

    def progress(self) -> dict[str, Any]:
        """What it last told: its stage, tasks done of how many, or why it was refused; {} before."""
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / PROGRESS).read_text(encoding="utf-8"))
            return found if isinstance(found, dict) else {}
        return {}

    def log_tail(self) -> str:
        """The end of what it wrote."""
        return child_process.log_tail(self.folder / LOG, LOG_BYTES)

    def end(self) -> None:
        """End the process and its group: politely at first, then for certain."""
        self.process.end(GRACE)


LOG, PROGRESS = "log", "progress.json"
COMMAND = (sys.executable, "-m", "analytics")


def start(folder: Path, job: str, options: Sequence[str]) -> SparkProcess:
    """Start a job that writes its result and its log into `folder`.

    Spark's own processes end when this one is gone: it holds their standard input.
    """
    env = settings.ENV
    arguments = [*COMMAND, job, "--telemetry", env.spark_telemetry]
    arguments += ["--out", str(folder), "--progress", str(folder / PROGRESS)]
    arguments += ["--master", env.spark_master, "--memory", env.spark_memory, *options]
    process = child_process.start(arguments, group=True, nice=NICE, folder=folder, log=folder / LOG)
    return SparkProcess(process, folder)
