"""A standalone master and worker on this machine: jobs run there, with the packages that they receive."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
import pytest

from tests.support.analytics import messy_telemetry
from tests.support.analytics import plain_answers as plain
from tests.waiting import LIMIT_SECONDS, eventually

ROOT = Path(__file__).resolve().parents[3]
CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


@contextmanager
def started(log: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process of Spark; its process group ends with it."""
    environ = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    environ.pop("PYTHONPATH", None)
    with log.open("wb") as out:
        process = subprocess.Popen([str(CLASS), *arguments], env=environ, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(LIMIT_SECONDS)


def logged(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """Return the group of the first match in the log."""
    eventually(lambda: re.search(pattern, log.read_text()) or process.poll() is not None)
    found = re.search(pattern, log.read_text())
    assert found, log.read_text()
    return found[1]


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("cluster")
    host = ("--host", "127.0.0.1", "--webui-port", "0")
    package = "org.apache.spark.deploy"
    with started(folder / "master", f"{package}.master.Master", *host, "--port", "0") as one:
        url = logged(folder / "master", r"Starting Spark master at (spark://\S+)", one)
        own = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"), url)
        with started(folder / "worker", f"{package}.worker.Worker", *host, *own) as other:
            logged(folder / "worker", r"(Successfully registered) with master", other)
            yield url


def command(master: str, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}",
        "SPARK_LOCAL_IP": "127.0.0.1",
        **more,
    }
    return subprocess.run(
        [sys.executable, "-m", "analytics", *arguments, "--master", master, "--memory", "512m"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_SECONDS,
    )


@pytest.mark.spark
@pytest.mark.full
def test_a_job_with_python_in_its_workers_runs_on_a_cluster(
    master: str, messy: messy_telemetry.Messy, subscriptions_file: Path, tmp_path: Path
) -> None:
    now = ("--now", messy_telemetry.NOW.isoformat())
    given = (
        "--telemetry",
        str(messy.root),
        "--out",
        str(tmp_path),
        "--subscriptions",
        str(subscriptions_file),
    )
    ran = command(master, "false_positives", *given, *now)
    assert ran.returncode == 0, ran.stderr
    rows = json.loads((tmp_path / "false_positives.json").read_text())
    expected = plain.false_positives(messy.events, messy.rows["published"], messy.rows["delivered"])
    assert [{**row, "fpr": round(row["fpr"], 9)} for row in rows] == [
        {**row, "fpr": round(row["fpr"], 9)} for row in expected
    ]


WHERE = """
import sys
from analytics.spark.session import start_session
spark = start_session(sys.argv[1], "512m")
def where(_):
    import analytics.jobs.matching, tercast
    return analytics.jobs.matching.__file__ + " " + tercast.__file__
print(spark.sparkContext.parallelize([0], 1).map(where).collect()[0])
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.full
def test_workers_use_the_packages_that_they_are_given(master: str) -> None:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}", "SPARK_LOCAL_IP": "127.0.0.1"}
    ran = subprocess.run(
        [sys.executable, "-c", WHERE, master],
        env=environ,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("tercast-analytics.zip/") == 2, ran.stdout


@pytest.mark.spark
@pytest.mark.full
def test_a_python_that_workers_do_not_have_is_one_sentence(
    master: str, messy: messy_telemetry.Messy, tmp_path: Path
) -> None:
    given = ("--telemetry", str(messy.root), "--out", str(tmp_path))
    ran = command(master, "publisher_load", *given, PYSPARK_PYTHON="/nonexistent/python")
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1] == (
        "/nonexistent/python, the Python of the workers, does not work; "
        "set PYSPARK_PYTHON to a Python 3.11 that is installed on the workers"
    )
