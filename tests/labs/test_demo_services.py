"""What becomes of the demo when one of its processes ends by itself."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mininet_labs.demo import run as demo_run
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.feed import Feed
from mininet_labs.demo.options import Options
from mininet_labs.demo.services import RESTARTS, Service, python, wait_until
from mininet_labs.topologies import load

SLEEPER = "import time; print('up', flush=True); time.sleep(600)"


@pytest.fixture
def service(tmp_path: Path):
    made: list[Service] = []

    def start(name: str, code: str = SLEEPER, **options: Any) -> Service:
        made.append(Service(name, python("-c", code), tmp_path / f"{name}.log", {}, **options))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.stop(grace=1.0)


def killed(service: Service) -> Service:
    """It has ended by SIGKILL, and nobody has looked at it since."""
    assert service.process is not None
    os.kill(service.process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, service.process.pid, os.WEXITED | os.WNOWAIT)
    return service


def test_an_optional_service_is_started_again_some_times_and_then_left(service, capsys):
    one = service("analytics", optional=True)
    for n in range(1, RESTARTS + 1):
        before = killed(one).process
        one.check()
        assert one.process is not before and one.process.poll() is None
        assert f"analytics ended with status -9 and is started again ({n} of " in capsys.readouterr().out
        one.check()
        assert capsys.readouterr().out == ""
    killed(one).check()
    assert "is left now" in capsys.readouterr().out
    one.check()
    assert (capsys.readouterr().out, one.process.poll()) == ("", -9)


def test_what_an_optional_service_has_started_does_not_outlive_it(service):
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    one = service("analytics", code, optional=True)
    wait_until("its child", lambda: one.log.exists() and one.log.read_text().endswith("\n"), [one])
    child = int(one.log.read_text())
    killed(one).check()
    wait_until("the end of its child", lambda: ended(child), [])


def ended(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_a_needed_service_s_end_is_told(service):
    one = killed(service("worker"))
    with pytest.raises(DemoError, match="worker ended with status -9"):
        one.check()


HOSTS = """
import json, sys
counters = dict.fromkeys(("wanted", "delivered", "lost", "doubled", "unwanted"), 0)
def tell(**more):
    told = {**counters, "delay_ms": {"p50": 1.0, "p99": 2.0}, "samples": [], "telemetry": {"rows": 3}}
    told |= {"activity": {}, "tested": []}
    print(json.dumps({**told, **more}), flush=True)
tell(published=5)
for line in sys.stdin:
    if line.strip() == "stop":
        tell(published=7, final=True)
        break
"""


@pytest.fixture
def demo(service, tmp_path: Path):
    """A demo whose controller has ended while its hosts publish; no web server answers."""
    worker, topology = service("worker"), load(demo_run.DEFAULT_TOPOLOGY)
    platform = SimpleNamespace(
        logs=tmp_path,
        base_url="http://127.0.0.1:9",
        secret=lambda name: "token",
        check=worker.check,
        services=[worker],
    )
    options = Options(topology=tmp_path, run_for=60.0, rate=1.0, port=0, report=None, fresh=False)
    made = demo_run.Demo(options, topology, platform)  # type: ignore[arg-type]
    made.rest = SimpleNamespace()  # type: ignore[assignment]
    made.feed = Feed(platform, made.rest, topology, 1.0)  # type: ignore[arg-type]
    made.feed._service = service("hosts", HOSTS, pipes=True)
    made.feed.listen()
    return made


def test_the_report_tells_what_was_counted_when_a_needed_service_ends(demo, capsys):
    killed(demo.platform.services[0])
    report = demo_run.conclude(demo)
    assert (report["published"], report["lost"], report["telemetry"]) == (7, 0, {"rows": 3})
    assert (report["switches"], report["trees"], report["requests"]) == (None, None, None)
    assert report["failure"].startswith("worker ended with status -9")
    assert not demo_run.passed(report)
    assert "worker ended with status -9" in capsys.readouterr().err


def test_the_last_counters_stay_when_the_hosts_have_ended(demo):
    killed(demo.feed._service)
    killed(demo.platform.services[0])
    report = demo_run.conclude(demo)
    assert report["published"] == 5 and report["failure"]
