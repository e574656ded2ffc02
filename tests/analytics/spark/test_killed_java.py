"""Java is killed during a job: the command prints one sentence with the signal and the remedy."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import psutil
import pytest

from analytics.spark.session import how_ended, java_end
from tests.support.analytics.messy_telemetry import Messy
from tests.waiting import LIMIT_SECONDS


def session_of(process: subprocess.Popen[bytes]) -> Any:
    return cast(Any, SimpleNamespace(sparkContext=SimpleNamespace(_gateway=SimpleNamespace(proc=process))))


def test_a_java_that_was_killed_is_reported_and_one_that_runs_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics.spark.session.JAVA_GRACE", 0.05)
    process = subprocess.Popen(["sleep", "1000"])
    try:
        assert java_end(session_of(process)) is None
    finally:
        process.kill()
    process.wait()
    message = java_end(session_of(process))
    assert message is not None and message.startswith(
        "Spark's Java process ended during the job: it was killed"
    )
    assert "signal 9 (SIGKILL): out of memory?" in message and "\n" not in message
    assert how_ended(-signal.SIGTERM) == "it was killed by signal 15 (SIGTERM)"
    assert how_ended(3) == "it exited with status 3; see its log"


@pytest.mark.spark
@pytest.mark.full
def test_a_job_whose_java_is_killed_ends_with_one_sentence(messy: Messy, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "analytics", "delay", "--master", "local[1]"]
    command += ["--telemetry", str(messy.root), "--out", str(tmp_path), "--progress", str(tmp_path / "p")]
    job_looks = Event()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        while job.poll() is None and '"computing"' not in _text(tmp_path / "p"):
            job_looks.wait(0.05)
        (java,) = (one for one in psutil.Process(job.pid).children() if one.name() == "java")
        java.kill()
        _, output = job.communicate(timeout=LIMIT_SECONDS)
    assert job.returncode == 1
    assert output.splitlines()[-1].startswith("Spark's Java process ended during the job: it was")
    assert "Traceback" not in output, output


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
