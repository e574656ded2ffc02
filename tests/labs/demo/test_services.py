"""Behaviour of the demo when one of its processes ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mininet_labs.demo import demo as demo_module
from mininet_labs.demo import run as demo_run
from mininet_labs.demo import services
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.feed import EventFeed
from mininet_labs.demo.options import DemoOptions
from mininet_labs.demo.rest import RestError
from mininet_labs.demo.services import RESTARTS, Service, python, wait_until
from mininet_labs.errors import LabError
from mininet_labs.interrupts import Interrupted
from mininet_labs.topologies import load
from tests.waiting import LIMIT_SECONDS

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
    """Kill a service, without any check of it afterwards."""
    assert service.process is not None
    os.kill(service.process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, service.process.pid, os.WEXITED | os.WNOWAIT)
    return service


class Clock:
    """Replaces `time` in the module under test; a test moves it."""

    def __init__(self) -> None:
        self.now = time.monotonic()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Sleep for a short real time, because processes need it."""
        self.now += seconds
        time.sleep(0.01)


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(services, "time", made)
    return made


def test_a_service_that_keeps_dying_is_restarted_with_growing_pauses_and_then_left(service, clock, capsys):
    one = service("worker", "print('no database', flush=True); import time; time.sleep(600)")
    wait_until("its words", lambda: "no database" in one.log.read_text(), [])
    pauses = []
    for n in range(1, RESTARTS + 1):
        before, died = killed(one).process, clock.now
        one.check()
        while one.process is before:
            assert one.trouble == "worker: restarting"
            clock.now += 0.5
            one.check()
        pauses.append(clock.now - died)
        assert one.process.poll() is None and one.trouble == "" and one.restarts == n
        assert f"worker ended with status -9; restart {n} of {RESTARTS} " in capsys.readouterr().out
    assert pauses == [0.0, 1.0, 2.0, 4.0, 8.0]
    killed(one).check()
    said = capsys.readouterr().out
    assert f"stopped after {RESTARTS} restarts in a row" in said
    assert str(one.log) in said and "no database" in said, "the log file and its last lines"
    clock.now += 1000
    one.check()
    assert (capsys.readouterr().out, one.process.poll()) == ("", -9)
    assert one.given_up and one.trouble == f"worker: stopped after {RESTARTS} restarts"


def test_a_service_that_ran_well_for_a_while_is_restarted_at_once(service, clock, capsys):
    one = service("web")
    for _ in range(2 * RESTARTS):
        clock.now += services.STABLE_S + 1
        killed(one).check()
        assert "restart 1 of " in capsys.readouterr().out and one.trouble == ""
    assert one.restarts == 2 * RESTARTS and not one.given_up


DYING = "import sys; print('bad row', flush=True); sys.exit(3)"


def test_a_start_does_not_wait_for_beat_that_dies_at_every_start(service, clock, capsys):
    """The platform works without an optional service; a needed one that keeps dying ends the start."""
    beat = service("beat", DYING, optional=True)

    def given_up(one: Service) -> bool:
        assert one.process is not None
        os.waitid(
            os.P_PID, one.process.pid, os.WEXITED | os.WNOWAIT
        ) if one.process.returncode is None else None
        return one.given_up

    wait_until("a platform without beat", lambda: given_up(beat), [beat], 1000.0)
    assert "the end of" in capsys.readouterr().out
    worker = service("worker", DYING)
    with pytest.raises(DemoError, match=r"worker keeps dying; the end of .*\n.*bad row"):
        wait_until("the tables", lambda: given_up(worker) and False, [worker], timeout=1000.0)


def test_each_progress_gives_more_time(clock):
    seen, reported = iter(range(1000)), []

    def ready() -> bool:
        clock.now += 1.0
        return next(seen) == 40

    wait_until("all", ready, [], 10.0, progress=lambda: f"{int(clock.now) // 8}", report=reported.append)
    assert len(set(reported)) >= 5
    with pytest.raises(DemoError, match=r"all: not ready, and no progress within 10 s \(3 of 7\); see "):
        wait_until("all", lambda: False, [], 10.0, progress=lambda: "3 of 7")


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


ROW = {
    **dict.fromkeys(("wanted", "delivered", "lost", "doubled", "unwanted"), 0),
    "delay_ms": {"p50": 1.0, "p99": 2.0},
    "samples": [],
    "telemetry": {"rows": 3},
    "activity": {},
    "tested": [],
}
HOSTS = f"""
import json, sys
def report(**more):
    print(json.dumps({ROW} | more), flush=True)
report(published=5)
for line in sys.stdin:
    if line.strip() == "stop":
        report(published=7, final=True)
        break
"""


class Plane:
    """A control plane that answers, times out, or refuses, as the test requests."""

    def __init__(self) -> None:
        self.problem: RestError | None = None
        self.traffic: list[dict[str, Any]] = []
        self.patience = 0.0

    def be_patient(self, seconds: float) -> None:
        self.patience = seconds

    def answer(self, value: Any) -> Any:
        if self.problem is not None:
            raise self.problem
        return value

    def get(self, path: str, **_: Any) -> Any:
        return self.answer({"results": [], "count": 3})

    def all(self, path: str, **_: Any) -> Any:
        return self.answer([{"entries": 4}])

    def post(self, path: str, body: Any) -> Any:
        self.traffic += [self.answer(body)] if path.endswith("/traffic/") else []


@pytest.fixture
def demo(service, tmp_path: Path):
    """A demo whose hosts publish; its control plane is a `Plane`."""
    worker, topology = service("worker"), load(demo_module.DEFAULT_TOPOLOGY)
    platform = SimpleNamespace(
        logs=tmp_path,
        base_url="http://127.0.0.1:9",
        secret=lambda name: "token",
        check=worker.check,
        troubles=lambda: [worker.trouble] if worker.trouble else [],
        given_up=lambda: [worker.name] if worker.given_up else [],
        restarts=lambda: {worker.name: worker.restarts} if worker.restarts else {},
        services=[worker],
    )
    options = DemoOptions(topology=tmp_path, run_for=60.0, rate=1.0, port=0, report=None, fresh=False)
    made = demo_module.Demo(options, topology, platform)  # type: ignore[arg-type]
    made.rest = Plane()  # type: ignore[assignment]
    made.feed = EventFeed(platform, made.rest, topology, 1.0)  # type: ignore[arg-type]
    made.feed._service = service("hosts", HOSTS, pipes=True)
    made.feed._plans = SimpleNamespace(changed=lambda: made.rest.answer(False), read=dict)  # type: ignore
    made.feed.listen()
    return made


def test_a_poll_that_times_out_is_a_warning_and_tried_again(demo, monkeypatch, capsys):
    plane, turns = demo.rest, []

    def sleep(_seconds: float) -> None:
        turns.append(len(plane.traffic))
        plane.problem = (
            RestError("GET /x: the web server does not answer (timed out)") if len(turns) < 4 else None
        )
        if len(turns) == 6:
            raise Interrupted

    monkeypatch.setattr(demo_module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    report = demo_run.conclude(demo)
    said = capsys.readouterr().out
    assert said.count("warning: GET /x: the web server does not answer (timed out); trying again") == 1
    assert said.count("the control plane answers again after") == 1
    assert turns[1] == turns[2] == turns[3] < turns[4] < turns[5]
    assert (report["failure"], report["published"]) == (None, 7) and demo_run.passed(report)


SWALLOWED = """
import os, signal
from mininet_labs.demo.services import wait_until
from mininet_labs.interrupts import Interrupted, raise_when_asked
raise_when_asked()
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(10))  # Python discards what the handler raises here
del_me = Dying(); del del_me
try:
    wait_until("nothing", lambda: False, [])
except Interrupted as asked:
    print(asked)
"""


def test_a_request_to_end_is_heeded_where_python_discards_the_handler_s_exception():
    done = subprocess.run(
        [sys.executable, "-c", SWALLOWED], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    assert "Exception ignored" in done.stderr and done.stdout == "SIGINT\n"


def test_what_the_control_plane_missed_is_passed_on_later(demo):
    feed, plane = demo.feed, demo.rest
    feed._samples = [{"publisher": "a1"}]
    plane.problem = RestError("away")
    for _ in range(2):
        with pytest.raises(RestError):
            feed.pass_on()
    plane.problem = None
    posted = []
    plane.post = lambda path, body: posted.append((path, body))
    feed.pass_on()
    assert posted[0][1]["published"] == 5
    assert posted[1] == ("/api/v1/traffic/samples/", [{"publisher": "a1"}]) and feed._samples == []


def test_a_service_s_death_ends_nothing_and_the_report_counts_it(demo, monkeypatch, capsys):
    worker = demo.platform.services[0]
    turns = iter(range(100))

    def sleep(_seconds: float) -> None:
        if next(turns) == 1:
            killed(worker)
        if worker.restarts:
            raise Interrupted

    monkeypatch.setattr(demo_module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    report = demo_run.conclude(demo)
    assert (report["restarts"], report["failure"]) == ({"worker": 1}, None) and demo_run.passed(report)
    assert "worker ended with status -9; restart 1 of" in capsys.readouterr().out


def test_a_service_that_stays_stopped_fails_the_run_at_its_end(demo, monkeypatch, capsys):
    demo.platform.services[0].given_up = True

    def sleep(_seconds: float) -> None:
        raise Interrupted

    monkeypatch.setattr(demo_module, "time", SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    report = demo_run.conclude(demo)
    assert report["published"] == 7 and not demo_run.passed(report)
    assert report["failure"] == f"stopped after {RESTARTS} restarts: worker"
    assert f"[worker: stopped after {RESTARTS} restarts]" in capsys.readouterr().out


def broken_network() -> None:
    raise LabError("ovs-vswitchd", "ended with status -9 (its last words)", "stop and start again")


def test_the_report_has_the_counts_so_far_when_the_network_ends(demo, capsys):
    demo.platform.check = broken_network
    demo.rest.problem = RestError("away")
    report = demo_run.conclude(demo)
    assert (report["published"], report["lost"], report["telemetry"]) == (7, 0, {"rows": 3})
    assert (report["switches"], report["trees"], report["requests"]) == (None, None, None)
    assert report["failure"].startswith("ovs-vswitchd: ended with status -9 (its last words)")
    assert not demo_run.passed(report)
    assert "ovs-vswitchd: ended with status -9" in capsys.readouterr().err


def test_the_last_counters_stay_when_the_hosts_have_ended(demo):
    killed(demo.feed._service)
    report = demo_run.conclude(demo)
    assert report["published"] == 5 and "process of the hosts has ended" in report["failure"]
