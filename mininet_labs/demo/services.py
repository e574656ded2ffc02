"""Child processes of the demo: started with a log of their own, awaited, ended in order."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.status import say
from mininet_labs.processes import die_with_parent

RESTARTS = 3
"""How many times a service that all others can do without is started again."""


@dataclass(slots=True)
class Service:
    """One child process; `log` gets its output. An `optional` one is started again some times."""

    name: str
    argv: Sequence[str]
    log: Path
    env: Mapping[str, str]
    pipes: bool = False
    optional: bool = False
    process: subprocess.Popen[str] | None = field(default=None, init=False)
    restarts: int = field(default=0, init=False)
    given_up: bool = field(default=False, init=False)

    def start(self) -> None:
        """Start it; with `pipes`, its standard input and output stay with the caller."""
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a" if self.process else "w", encoding="utf-8") as log:
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
        """See whether it has ended by itself: an optional one is told and started again, a few times at most.

        Raises `DemoError` with the end of its log when another one has ended.
        """
        if self.given_up or self.process is None or (status := self.process.poll()) is None:
            return
        if not self.optional:
            raise DemoError(f"{self.name} ended with status {status}; the end of {self.log}:\n{self.tail()}")
        self.kill()  # what it has started may have outlived it
        self.given_up = self.restarts >= RESTARTS
        if self.given_up:
            what = f"it was started again {RESTARTS} times and is left now; all else goes on without it"
            say(f"{self.name} ended with status {status}; {what}; see {self.log}")
            return
        self.restarts += 1
        say(f"{self.name} ended with status {status} and is started again ({self.restarts} of {RESTARTS})")
        self.start()

    def tail(self, lines: int = 15) -> str:
        """The end of its log."""
        text = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
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
    what: str, ready: Callable[[], bool], services: Sequence[Service], timeout: float = 60.0
) -> None:
    """Wait for `ready`; raises `DemoError` when a service ends meanwhile, or after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not ready():
        for service in services:
            service.check()
        if time.monotonic() > deadline:
            logs = ", ".join(str(service.log) for service in services)
            raise DemoError(f"{what} did not come up within {timeout:.0f} s; look into {logs}")
        time.sleep(0.1)


def python(*arguments: str) -> list[str]:
    """The command line of this interpreter with `arguments`."""
    return [sys.executable, *arguments]
