"""Child processes of the demo: separate logs, restarts, and a stop in order."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mininet_labs import interrupts
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.status import say
from mininet_labs.processes import die_with_parent

RESTARTS = 5
"""Consecutive restarts after which a service that keeps dying stays stopped."""

STABLE_S = 60.0
"""Seconds after which a running service is healthy again: its next death is the first in a row."""

LONGEST_PAUSE_S = 16.0
"""Longest pause before a restart. The first restart is immediate, the others follow after 1, 2, 4, ... s."""

TAIL_LINES = 15
TAIL_BYTES = 64 * 1024

MOST_LOG_BYTES = 64 * 1024 * 1024
"""A larger log becomes NAME.log.1 and replaces the one before, so that a long run does not fill the disk."""


@dataclass(slots=True)
class Service:
    """A child process whose output goes to `log`.

    `check` restarts it when it dies. The other services work without an `optional` one, so the start of the
    platform does not fail because of it.
    """

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str]
    pipes: bool = False
    optional: bool = False
    process: subprocess.Popen[str] | None = field(default=None, init=False)
    restarts: int = field(default=0, init=False)
    in_a_row: int = field(default=0, init=False)
    given_up: bool = field(default=False, init=False)
    started_at: float = field(default=0.0, init=False)
    restart_at: float | None = field(default=None, init=False)

    def start(self) -> None:
        """Start the process; with `pipes`, the caller keeps its standard input and output."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.started_at, self.restart_at = time.monotonic(), None
        if self.process is None:
            self.log.write_bytes(b"")
        with self.log.open("a", encoding="utf-8") as log:  # append mode, so that it can be truncated in use
            pipe: int | IO[str] = subprocess.PIPE if self.pipes else log
            self.process = subprocess.Popen(
                list(self.argv),
                stdin=subprocess.PIPE if self.pipes else subprocess.DEVNULL,
                stdout=pipe,
                stderr=log,
                env={**os.environ, **self.env},
                text=True,
                bufsize=1,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - no thread of ours has a lock
            )

    def check(self) -> None:
        """Restart the service if it has died: first immediately, then after growing pauses.

        It prints each death. After `RESTARTS` restarts in a row the service stays stopped, and `given_up` is
        set.
        """
        self.bound_log()
        if self.given_up or self.process is None or (status := self.process.poll()) is None:
            return
        now = time.monotonic()
        if self.restart_at is None:
            self._plan_restart(status, now)
        if self.restart_at is not None and now >= self.restart_at:
            self.restarts += 1
            self.start()

    def bound_log(self) -> None:
        """Move the content of a log that is too large to NAME.log.1; its process continues to write."""
        with suppress(OSError):  # on a full disk the process continues, and the log is moved later
            if self.log.stat().st_size > MOST_LOG_BYTES:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)

    def _plan_restart(self, status: int, now: float) -> None:
        self.kill()  # its own child processes may still run
        self.in_a_row = 1 if now - self.started_at >= STABLE_S else self.in_a_row + 1
        ended = f"{self.name} ended with status {status}"
        if self.in_a_row > RESTARTS:
            self.given_up = True
            what = f"it stays stopped after {RESTARTS} restarts in a row; the other processes continue"
            say(f"{ended}; {what}; the end of {self.log}:\n{self.tail()}")
            return
        pause = 0.0 if self.in_a_row == 1 else min(2.0 ** (self.in_a_row - 2), LONGEST_PAUSE_S)
        self.restart_at = now + pause
        when = f"in {pause:g} s" if pause else "now"
        say(f"{ended}; restart {self.in_a_row} of {RESTARTS} {when}; its log is {self.log}")

    @property
    def trouble(self) -> str:
        """Its state in a few words if it does not run; empty if it does."""
        if self.given_up:
            return f"{self.name}: stopped after {RESTARTS} restarts"
        if self.process is not None and self.process.poll() is not None:
            return f"{self.name}: restarting"
        return ""

    def tail(self, lines: int = TAIL_LINES) -> str:
        """Return the last lines of its log."""
        text = ""
        if self.log.exists():
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
                text = log.read(TAIL_BYTES).decode("utf-8", "replace")
        return "\n".join("  " + line for line in text.splitlines()[-lines:]) or "  (the log is empty)"

    def ask_to_stop(self) -> None:
        """Send SIGTERM without waiting."""
        self._signal(signal.SIGTERM)

    def stop(self, grace: float = 5.0) -> None:
        """Stop the process and its child processes: SIGTERM first, SIGKILL after `grace` seconds."""
        if self.process is None:
            return
        self.ask_to_stop()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(grace)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def kill(self) -> None:
        """Kill the process and its child processes immediately."""
        self._signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self.process is None or (number is signal.SIGTERM and self.process.poll() is not None):
            return
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            return


def run_once(name: str, argv: Sequence[str], log: Path, env: Mapping[str, str]) -> None:
    """Run a command until it ends; raises `DemoError` with its output if it fails."""
    service = Service(name, argv, log, env)
    service.start()
    assert service.process is not None
    try:
        status = service.process.wait()
    except BaseException:
        service.stop(grace=1.0)
        raise
    if status:
        raise DemoError(f"{name} failed with status {status}:\n{service.tail(30)}")


def wait_until(
    what: str,
    ready: Callable[[], bool],
    services: Sequence[Service],
    timeout: float = 60.0,
    *,
    progress: Callable[[], str] | None = None,
    report: Callable[[str], None] = lambda _text: None,
) -> None:
    """Wait until `ready()`, and restart services that die meanwhile.

    Args:
        what: The awaited thing, for the error.
        timeout: Seconds without progress after which the wait fails.
        progress: Returns the progress in words; each change restarts the time-out.
        report: Called repeatedly with the progress.

    Raises:
        DemoError: The time-out is over, or a needed service keeps dying.
    """
    deadline, seen = time.monotonic() + timeout, ""
    while not ready():
        interrupts.check()
        for service in services:
            service.check()
            if service.given_up and not service.optional:
                raise DemoError(_keeps_dying(service))
        if progress is not None:
            if (now := progress()) != seen:
                deadline, seen = time.monotonic() + timeout, now
            report(now)
        if time.monotonic() > deadline:
            logs = ", ".join(str(service.log) for service in services)
            far = f" ({seen})" if seen else ""
            raise DemoError(f"{what}: not ready, and no progress within {timeout:.0f} s{far}; see {logs}")
        time.sleep(0.1)


def _keeps_dying(service: Service) -> str:
    return f"{service.name} keeps dying; the end of {service.log}:\n{service.tail()}"


def python(*arguments: str) -> list[str]:
    """Return the command line of this interpreter with `arguments`."""
    return [sys.executable, *arguments]
