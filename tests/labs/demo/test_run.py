"""The demo from start to end: its counters, its end, and what remains."""

import json
import re
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.support.labs.demo_runs import (
    Run,
    nothing_runs,
    processes_of,
    run_dir,  # noqa: F401 - fixture
)
from tests.waiting import LIMIT_SECONDS, wait_until

pytestmark = pytest.mark.fabric


def check_report(report: dict) -> None:
    assert report["published"] > 100
    assert report["wanted"] > 0
    assert report["delivered"] == report["wanted"] + report["unwanted"]
    assert (report["lost"], report["doubled"]) == (0, 0)
    assert 0 < report["delay_ms"]["p50"] <= report["delay_ms"]["p99"]
    assert report["switches"] == 11
    assert report["entries"] > 0
    assert report["trees"] >= 1
    assert report["requests"]["active"] >= 11 + 14 + 22 + 1 + 5 + 15
    assert report["requests"]["failed"] == 0


@pytest.mark.full
def test_an_interrupt_ends_everything_and_a_report_is_written(run_dir: Path):
    report = run_dir.with_suffix(".json")
    run = Run(run_dir, "--report", str(report))
    run.wait_for("entries")
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 0, run.text()
    assert nothing_runs(run_dir)
    assert json.loads(report.read_text())["lost"] == 0


@pytest.mark.full
def test_lost_events_are_counted_and_end_in_failure(run_dir: Path):
    report = run_dir.with_suffix(".json")
    run = Run(run_dir, "--for", "6", "--report", str(report))
    run.wait_for("entries")
    (management,) = (run_dir / "fabric" / "s").glob("atl.mgmt")
    subprocess.run(
        ["ovs-ofctl", "-O", "OpenFlow13", "del-flows", f"unix:{management.resolve()}", "ipv6"], check=True
    )
    assert run.end() == 1, run.text()
    assert json.loads(report.read_text())["lost"] > 0


@pytest.mark.full
def test_a_learned_event_space_is_applied_under_traffic(run_dir: Path):
    report = run_dir.with_suffix(".json")
    run = Run(run_dir, "--learn", "--report", str(report))
    run.wait_for("cuts; ")
    run.wait_for("topic quotes has")

    def deliveries() -> int:
        return int(re.findall(r"delivered (\d+)", run.text())[-1])

    applied = deliveries()
    wait_until("deliveries in the learned space", lambda: deliveries() > applied + 2_000)
    run.process.send_signal(signal.SIGINT)
    assert run.end() == 0, run.text()
    found = json.loads(report.read_text())
    assert (found["lost"], found["doubled"]) == (0, 0)
    learned = found["learned"]
    assert learned["before"] > 30 and learned["after"] < 5
    assert learned["entries_after"] < learned["entries_before"] / 2 and learned["cuts"] > 0


def kill(run_dir: Path, words: str) -> None:
    """Kill the process whose command line has these words, but no parent that has them."""
    found = [one for one in processes_of(run_dir) if words in " ".join(one.cmdline())]
    pids = {one.pid for one in found}
    (first,) = [one for one in found if one.ppid() not in pids]
    first.kill()


PROCESSES = {
    "analytics": "-Q analytics",
    "worker": "-Q planner,celery",
    "beat": "controlplane.config.celery beat",
    "web": "uvicorn",
    "controller": "controller_app",
}


def test_a_killed_run_goes_on_and_processes_that_die_are_restarted(run_dir: Path):
    """Two starts in one folder: a second run is refused while the first runs; SIGKILL ends the first."""
    first = Run(run_dir)
    first.wait_for("Ctrl-C ends it.")
    names = {word for process in processes_of(run_dir) for word in process.cmdline()}
    assert {"controller_app", "uvicorn", "celery", "beat"} <= names
    refused = Run(run_dir, "--for", "1", log=".second")
    assert refused.end() == 1
    assert re.search(r"already runs in .* \(process \d+\)", refused.text())
    first.process.send_signal(signal.SIGKILL)
    first.end()
    wait_until("the end of all children", lambda: nothing_runs(run_dir))

    report = run_dir.with_suffix(".json")
    second = Run(run_dir, "--report", str(report), log=".third")
    second.wait_for("Ctrl-C ends it.")
    for name, words in PROCESSES.items():
        kill(run_dir, words)
        second.wait_for(f"{name} ended with status -9; restart 1 of 5 now; its log is ")
    wait_until("100 events", lambda: published(second) > 100)
    assert second.process.poll() is None
    second.process.send_signal(signal.SIGINT)
    assert second.end() == 0, second.text()
    figures = json.loads(report.read_text())
    assert figures["restarts"].keys() == PROCESSES.keys()
    assert figures["failure"] is None
    check_report(figures)
    assert nothing_runs(run_dir)
    assert sorted(path.name for path in run_dir.iterdir()) == ["fabric", "lock", "logs", "state"]
    assert not any((run_dir / "fabric").iterdir())


def published(run: Run) -> int:
    """Return the number of published events in the last line of counters that a run has printed."""
    counts = re.findall(r"published (\d+)", run.text())
    return int(counts[-1]) if counts else 0


@pytest.mark.full
def test_a_dead_switch_daemon_ends_the_run_with_its_last_words_and_a_report(run_dir: Path):
    report = run_dir.with_suffix(".json")
    run = Run(run_dir, "--report", str(report))
    run.wait_for("Ctrl-C ends it.")
    kill(run_dir, "--enable-dummy=override")
    assert run.end() == 1, run.text()
    figures = json.loads(report.read_text())
    assert figures["failure"].startswith("ovs-vswitchd: ended with status -9 (")
    assert figures["published"] > 0
    assert nothing_runs(run_dir)


@pytest.mark.full
def test_what_is_withdrawn_during_a_run_is_not_lost(run_dir: Path):
    report = run_dir.with_suffix(".json")
    run = Run(run_dir, "--tls", "--for", "6", "--report", str(report))
    run.wait_for("entries")
    page = re.search(r"page +(http://\S+)/", run.text())
    assert page
    token = (run_dir / "state" / "secrets" / "operator-token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}", "Prefer": "wait=10"}
    for path in ("subscriptions/2", "advertisements/5"):
        answer = httpx.delete(
            f"{page[1]}/api/v1/{path}/", headers=headers, timeout=LIMIT_SECONDS, trust_env=False
        )
        assert answer.json()["state"] == "active"

    def sampled() -> set[str]:
        url = f"{page[1]}/api/v1/traffic/samples/"
        topics = httpx.get(url, headers=headers, timeout=LIMIT_SECONDS, trust_env=False).json()["topics"]
        return {row["publisher"] for topic in topics for row in topic["publishers"]}

    wait_until("samples of what is published", lambda: sampled() >= {"a1", "a2", "a3", "a4"})
    assert run.end() == 0, run.text()
    assert json.loads(report.read_text())["lost"] == 0
