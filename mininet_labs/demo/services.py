"""Child processes of the demo: started with a log of their own, restarted when they die, ended in order."""

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
"""Restarts in a row after which a service that keeps dying is left stopped."""

STABLE_S = 60.0
"""A service that has run this long counts as healthy again: its next death is the first in a row."""

LONGEST_PAUSE_S = 16.0
"""Longest pause before a restart; the first restart follows at once, then 1, 2, 4, ... seconds."""

TAIL_LINES = 15
TAIL_BYTES = 64 * 1024

MOST_LOG_BYTES = 64 * 1024 * 1024
"""A larger log becomes NAME.log.1, whose predecessor goes: a run of weeks fills no disk."""


@dataclass(slots=True)
class Service:
    """One child process; `log` gets its output.

    `check` restarts it when it dies. Without an `optional` one the others work, so a start of the platform
    does not fail because of it.
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
        """Start it; with `pipes`, its standard input and output stay with the caller."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.started_at, self.restart_at = time.monotonic(), None
        if self.process is None:
            self.log.write_bytes(b"")
        with self.log.open("a", encoding="utf-8") as log:  # appending, so that it can be cut off while in use
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
        """Restart the service if it has died: at once, then after growing pauses, `RESTARTS` times in a row.

        Prints what happens. After the last restart the service stays stopped, and `given_up` is set.
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
        """Move the content of a log that is too large to NAME.log.1, and let its process write on."""
        with suppress(OSError):  # a full disk: the process goes on, and the log is bounded later
            if self.log.stat().st_size > MOST_LOG_BYTES:
                shutil.copyfile(self.log, self.log.with_name(f"{self.log.name}.1"))
                os.truncate(self.log, 0)

    def _plan_restart(self, status: int, now: float) -> None:
        self.kill()  # its own child processes may still run
        self.in_a_row = 1 if now - self.started_at >= STABLE_S else self.in_a_row + 1
        ended = f"{self.name} ended with status {status}"
        if self.in_a_row > RESTARTS:
            self.given_up = True
            what = (
                f"after {RESTARTS} restarts in a row it stays stopped, the other processes go on without it"
            )
            say(f"{ended}; {what}; the end of {self.log}:\n{self.tail()}")
            return
        pause = 0.0 if self.in_a_row == 1 else min(2.0 ** (self.in_a_row - 2), LONGEST_PAUSE_S)
        self.restart_at = now + pause
        when = f"in {pause:g} s" if pause else "now"
        say(f"{ended}; restart {self.in_a_row} of {RESTARTS} {when}; its log is {self.log}")

    @property
    def trouble(self) -> str:
        """Its state in a few words while it does not run; empty while it does."""
        if self.given_up:
            return f"{self.name}: stopped after {RESTARTS} restarts"
        if self.process is not None and self.process.poll() is not None:
            return f"{self.name}: restarting"
        return ""

    def tail(self, lines: int = TAIL_LINES) -> str:
        """The end of its log."""
        text = ""
        if self.log.exists():
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
                text = log.read(TAIL_BYTES).decode("utf-8", "replace")
        return "\n".join("  " + line for line in text.splitlines()[-lines:]) or "  (it wrote nothing)"

    def ask_to_stop(self) -> None:
        """Ask it to end, and do not wait."""
        self._signal(signal.SIGTERM)

    def stop(self, grace: float = 5.0) -> None:
        """End it and whatever it started: politely at first, then for certain."""
        if self.process is None:
            return
        self.ask_to_stop()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(grace)
        self._signal(signal.SIGKILL)
        self.process.wait()

    def kill(self) -> None:
        """End it and whatever it started, in the middle of whatever it does."""
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
    """Run a command to its end; raises `DemoError` with its output when it fails."""
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
        what: what is awaited, for the error.
        timeout: seconds without progress after which to give up.
        progress: how far it is, in words; each change of it starts the time-out again.
        report: is called with the progress again and again.

    Raises:
        DemoError: at the time-out, or when a service that is needed keeps dying.
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
            raise DemoError(
                f"{what}: not ready, and no progress within {timeout:.0f} s{far}; look into {logs}"
            )
        time.sleep(0.1)


def _keeps_dying(service: Service) -> str:
    return f"{service.name} keeps ending by itself; the end of {service.log}:\n{service.tail()}"


def python(*arguments: str) -> list[str]:
    """The command line of this interpreter with `arguments`."""
    return [sys.executable, *arguments]
