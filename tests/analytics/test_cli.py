"""The command line: refused values, exit statuses, and errors about Java and Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest

from analytics.cli import main
from analytics.errors import CannotRun, JobFailed
from analytics.jobs.definitions import COMPUTATIONS
from analytics.jobs.job_table import JOBS
from analytics.spark.java import check_java, java_version
from analytics.spark.session import check_spark_home, check_workers
from analytics.times import parse_length, parse_time
from tests.support.analytics import messy_telemetry

ROOT = Path(__file__).resolve().parents[2]


def test_each_job_of_the_table_has_a_computation() -> None:
    assert tuple(COMPUTATIONS) == tuple(JOBS)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--window", "1 fortnight", "argument --window: '1 fortnight' is not a length of time"),
        ("--window", "0 minutes", "argument --window: '0 minutes' cannot be a window"),
        ("--since", "yesterday", "argument --since: 'yesterday' is not an ISO 8601 time"),
        ("--depth", "25", "argument --depth: '25' is not an integer from 0 to 24"),
        ("--threshold", "nan", "argument --threshold: 'nan' is not a share"),
        ("--last-events", "0", "argument --last-events: '0' is not an integer"),
        ("--memory", "plenty", "argument --memory: 'plenty' is not a memory size"),
        ("--win", "1 minute", "unrecognized arguments: --win"),
    ],
)
def test_a_bad_option_is_refused_by_name(
    option: str, value: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["delay", "--telemetry", str(tmp_path), "--out", str(tmp_path), option, value])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments, "--out", "/nonexistent/out", "--telemetry", "/nonexistent"]) == 2
    return capsys.readouterr().err


def test_options_that_do_not_fit_together_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    message = refused(capsys, "delay", "--since", "2026-01-02", "--until", "2026-01-02T01:00+01:00")
    assert message == "--until must be later than --since\n"
    for job in ("dimension_selection", "learned_space"):
        assert "set --subscriptions FILE" in refused(capsys, job)
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps({"topics": [], "subscriptions": [{"id": "s", "host": "h", "topic": "t", "filter": ""}]})
    )
    message = refused(capsys, "false_positives", "--subscriptions", str(path))
    assert message == f'{path}: subscriptions[0].topic: unknown topic "t"; use a topic of this file\n'


def test_a_job_that_fails_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: Any) -> int:
        raise JobFailed("the job failed: no memory left")

    monkeypatch.setattr("analytics.cli._run", fail)
    assert (
        main(
            ["delay", "--telemetry", "/nonexistent", "--out", "/nonexistent", "--subscriptions", "/not/read"]
        )
        == 1
    )
    assert capsys.readouterr().err == "the job failed: no memory left\n"


def test_java_that_is_missing_or_old_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    message = refused(capsys, "delay")
    assert (
        message.startswith("java is not on PATH")
        and "openjdk-17-jre-headless" in message
        and message.count("\n") == 1
    )
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    java.chmod(0o755)
    with pytest.raises(CannotRun, match=r"java is Java 11: Spark needs Java 17 or newer"):
        check_java({"JAVA_HOME": str(tmp_path), "PATH": ""})
    java.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(CannotRun, match="does not run: Spark needs Java 17"):
        check_java({"JAVA_HOME": str(tmp_path), "PATH": ""})
    assert java_version('java version "1.8.0_292"') == 8
    assert java_version("what?") is None


def test_spark_home_of_another_installation_is_named(tmp_path: Path) -> None:
    check_spark_home({})
    with pytest.raises(CannotRun, match=f"SPARK_HOME is {tmp_path}, which has no Spark"):
        check_spark_home({"SPARK_HOME": str(tmp_path)})
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / "spark-core_2.12-3.5.1.jar").touch()
    with pytest.raises(CannotRun, match=r"which is Spark 3\.5\.1: unset SPARK_HOME, or set it to"):
        check_spark_home({"SPARK_HOME": str(tmp_path)})
    check_spark_home({"SPARK_HOME": str(Path(pyspark.__file__).parent)})


@pytest.mark.spark
def test_another_python_on_the_workers_is_one_sentence(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfrom collections import namedtuple\n"
        "Version = namedtuple('Version', 'major minor micro releaselevel serial')\n"
        "sys.version_info = Version(3, 10, 1, 'final', 0)\n"
    )
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("PYSPARK_PYTHON", str(python))
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(python))
    with pytest.raises(CannotRun) as raised:
        check_workers(spark, "local[1]")
    assert str(raised.value).startswith(
        f"the workers run {python}, which is not Python 3.11; set PYSPARK_PYTHON"
    )
    monkeypatch.setenv("PYSPARK_PYTHON", "/nonexistent/python")
    with pytest.raises(CannotRun, match="/nonexistent/python, which is not executable"):
        check_workers(spark, "local[1]")


@pytest.mark.spark
def test_the_command_from_generated_telemetry_to_a_file(spark: Any, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT / 'platform'}:{ROOT}"}
    root, out = tmp_path / "root", tmp_path / "out"

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    made = command("analytics.generate", "--events", "300", "--out", str(root))
    assert made.returncode == 0, made.stderr
    assert command("analytics.generate", "--events", "300", "--out", str(root)).returncode == 2
    ran = command(
        "analytics",
        "publisher_load",
        "--telemetry",
        "root",
        "--out",
        "out",
        "--depth",
        "1",
        "--master",
        "local[1]",
    )
    assert ran.returncode == 0, ran.stderr
    rows = json.loads((out / "publisher_load.json").read_text())
    assert [row["publisher"] for row in rows] == [f"a{i}" for i in range(8)]
    assert sum(row["events"] for row in rows) == 300
    assert all(set(row["dz_histogram"]) <= {"0", "1"} for row in rows)


def test_times_and_lengths() -> None:
    assert (
        parse_time("2026-03-29T03:00:00+02:00")
        == parse_time("2026-03-29T01:00:00")
        == parse_time("2026-03-29T01:00Z")
    )
    assert (
        parse_length("1 minute")
        == parse_length("60 seconds")
        == parse_length("60000 Milliseconds")
        == 60_000_000
    )
    for bad in ("", "minute", "1 month", "-1 minute", "1.5 hours", "999 weeks"):
        with pytest.raises(ValueError, match=r"is not a length|cannot be a window"):
            parse_length(bad)


def test_messy_telemetry_has_what_it_is_for(messy: messy_telemetry.Messy) -> None:
    delivered = messy.rows["delivered"]
    assert any(not row["wanted"] for row in delivered)
    assert len({(row["seq"], row["host"]) for row in delivered}) < len(delivered)
