"""Processes that the control plane starts: their ends, their logs, and the one next to a worker."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.common import bounded_answer, child_process
from controlplane.common.child_process import BackgroundCommand, ChildProcess, log_tail, signal_name, start
from tercast.errors import Refused, RefusedMany
from tests.waiting import wait_until

SLEEP = ("sleep", "600")
PARENT = """
import time
from controlplane.common.child_process import start
print(start(["sleep", "600"]).pid, flush=True)
time.sleep(600)
"""


def is_alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and is not reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_a_child_ends_with_the_process_that_started_it():
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, env=child_process.environment(), stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    wait_until("the child has ended", lambda: not is_alive(pid))


@pytest.mark.parametrize("deaf", [False, True])
def test_the_end_of_a_group_is_the_end_of_all_its_processes(tmp_path, deaf):
    script = f"{'trap : TERM; ' if deaf else ''}sleep 600 & echo $!; while :; do sleep 600; done"
    child = start(["sh", "-c", script], group=True, folder=tmp_path, log=tmp_path / "log")
    try:
        wait_until("the shell has started a process", (tmp_path / "log").read_text)
        grandchild = int((tmp_path / "log").read_text())
        assert child.status is None and os.getpgid(grandchild) == child.pid != os.getpgid(0)
        child.end(0.05 if deaf else 60.0)
        assert child.status == -(signal.SIGKILL if deaf else signal.SIGTERM)
        wait_until("the grandchild has ended", lambda: not is_alive(grandchild))
        child.end(60.0)  # again, after its end
    finally:
        child.kill()


def test_a_log_is_read_from_its_end(tmp_path):
    log = tmp_path / "log"
    assert log_tail(log, 10) == ""
    log.write_bytes("begin ä".encode() + b"\0end")
    assert log_tail(log, 100) == "begin äend"
    assert log_tail(log, 4) == "end"
    assert log_tail(log, 5) == "end"  # without the half of a character


ENDS = [(None, None), (0, None), (3, None), (-9, "SIGKILL"), (-99, "?")]


@pytest.mark.parametrize(("status", "name"), ENDS)
def test_the_signal_that_ended_a_process(status, name):
    assert signal_name(status) == name


def background(monkeypatch, command, seconds=None):
    ends = []
    monkeypatch.setattr(child_process, "start", lambda asked: start(command))
    return BackgroundCommand(lambda *end: ends.append(end), seconds), ends


def test_a_command_next_to_a_worker_is_one_process_and_its_end_is_reported_once(monkeypatch):
    process, ends = background(monkeypatch, ("sh", "-c", "exit 3"))
    assert not process.is_running() and process.pid is None
    process.start("compact")
    wait_until("the command has ended", lambda: not process.is_running())
    assert not process.is_running()
    assert ends == [("manage.py compact", 3)]


def test_a_command_that_is_stuck_is_killed(monkeypatch):
    process, ends = background(monkeypatch, SLEEP, seconds=60.0)
    process.start("aggregate")
    assert process.is_running() and ends == []
    monkeypatch.setattr(process, "_seconds", 0.0)
    assert not process.is_running()
    assert ends == [("manage.py aggregate", -signal.SIGKILL)]


def test_a_process_alone_is_killed():
    child = start(SLEEP)
    child.kill()
    assert child.status == -signal.SIGKILL and not ChildProcess(child.process).group


def fails(error):
    raise error


ONE, TWO = Refused(("a", 0), "c", "d", 1), Refused(("b",), "c", "d", [2])


@pytest.mark.parametrize(
    ("work", "answer"),
    [
        (lambda: [1], '{"ok": [1]}'),
        (lambda: fails(ONE), '{"refused": [{"path": ["a", 0], "code": "c", "detail": "d", "value": 1}]}'),
        (lambda: fails(RefusedMany([ONE, TWO])), '"value": "a list"}]}'),
        (lambda: fails(MemoryError()), '{"failed": "too large"}'),
    ],
)
def test_answers(work, answer):
    assert bounded_answer.json_text(work, "too large").endswith(answer)


def test_memory_is_limited_within_the_block_only():
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with bounded_answer.limited_memory(8 << 30):
        assert resource.getrlimit(resource.RLIMIT_DATA)[0] == 8 << 30
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
