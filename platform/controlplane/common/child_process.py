"""Processes that the control plane starts: each ends with the process that started it."""

import ctypes
import json
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.common.problems import Problem
from tercast.runtime.wording import whole_characters

PACKAGES = Path(__file__).resolve().parents[2]
"""The folder that has this package: `platform` of a source tree, or `site-packages`."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)

logger = logging.getLogger(__name__)


def environment() -> dict[str, str]:
    """Return this process's environment, in which the project's packages can be imported.

    A child inherits the working directory too, so a relative path in a setting means the same to both.
    """
    folders = [str(PACKAGES)]
    if (PACKAGES.parent / "manage.py").is_file():  # a source tree has some packages one folder up
        folders.append(str(PACKAGES.parent))
    path = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
    return {**os.environ, "PYTHONPATH": path, "DJANGO_SETTINGS_MODULE": settings}


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A started process; `group` says whether it leads a process group, with all that it starts itself."""

    process: subprocess.Popen[bytes]
    group: bool = False

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.pid

    @property
    def status(self) -> int | None:
        """The exit status, a negative number for a signal; None while it runs."""
        return self.process.poll()

    def kill(self) -> None:
        """End the process, of a group all, and wait for its end."""
        self._send(signal.SIGKILL)
        self.process.wait()

    def end(self, grace: float) -> None:
        """Ask the process, or its group, to end; after `grace` seconds kill what is left."""
        self._send(signal.SIGTERM)
        end = time.monotonic() + grace
        while self.status is None and time.monotonic() < end:
            time.sleep(0.05)
        self.kill()

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if self.group:
                os.killpg(self.pid, number)
            else:
                self.process.send_signal(number)


def start(
    command: Sequence[str],
    *,
    group: bool = False,
    nice: int = 0,
    folder: Path | None = None,
    log: Path | None = None,
) -> ChildProcess:
    """Start a process without standard input.

    Args:
        command: The program and its arguments.
        group: Whether it gets a session and a process group of its own, which end together.
        nice: By how much its priority is lower than this process's.
        folder: Its working directory; None for this process's.
        log: The file for its output and errors; None for those of this process.
    """

    def begin() -> None:
        _die_with_parent()
        os.nice(nice)

    with nullcontext() if log is None else log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=group,
            preexec_fn=begin,  # noqa: PLW1509 - the worker's pool has no threads
        )
    return ChildProcess(process, group)


def log_tail(log: Path, most: int) -> str:
    """Return the last bytes of a log, `most` at most, without characters that a database refuses."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - most))
        return whole_characters(file.read()).replace("\0", "")
    return ""


def signal_name(status: int | None) -> str | None:
    """Return the name of the signal that ended a process, by its exit status; None if none did."""
    if status is None or status >= 0:
        return None
    return signal.Signals(-status).name if -status in set(signal.Signals) else "?"


class BackgroundCommand:
    """A `manage.py` command next to this process: in one process at a time, reaped by the next look.

    Args:
        ended: Called with the command and the exit status when a process has ended.
        seconds: The time after which a process is stuck and is killed; None for any.
    """

    def __init__(self, ended: Callable[[str, int], None], seconds: float | None = None) -> None:
        self._ended, self._seconds = ended, seconds
        self._child: ChildProcess | None = None
        self._command, self._since = "", 0.0

    @property
    def pid(self) -> int | None:
        """The number of the process; None without one."""
        return None if self._child is None else self._child.pid

    def is_running(self) -> bool:
        """Return whether a process runs; one that is stuck is killed, one that has ended is reported."""
        if self._child is None:
            return False
        if self._child.status is None:
            if self._seconds is None or time.monotonic() - self._since < self._seconds:
                return True
            logger.error("process %d, which runs %s, is stuck, and killed", self._child.pid, self._command)
            self._child.kill()
        status, self._child = self._child.status, None
        assert status is not None
        self._ended(self._command, status)
        return False

    def start(self, command: str) -> None:
        """Start the command; call it only while none runs."""
        self._child = start([sys.executable, "-m", "django", command])
        self._command, self._since = f"manage.py {command}", time.monotonic()


def ask_child(
    module: str, question: bytes, seconds: float, late: str, killed: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object that `python -m module` writes in answer to `question` on its standard input.

    Args:
        module: The module to run; it answers with `controlplane.common.bounded_answer`.
        question: What it reads.
        seconds: How long it may take.
        late: Why there is no answer in that time, for the caller.
        killed: What an end by a signal means, by its number; the answer is then `{"failed": ...}`.

    Raises:
        Problem: 503 where it takes longer.
        RuntimeError: The process failed; with its last words.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", module],
            input=question,
            env=environment(),
            capture_output=True,
            timeout=seconds,
            check=False,
            preexec_fn=_die_with_parent,
        )
    except subprocess.TimeoutExpired:
        raise Problem(503, "took_too_long", late, headers={"Retry-After": "60"}) from None
    if killed and -done.returncode in killed:
        return {"failed": killed[-done.returncode]}
    if done.returncode:
        end = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"python -m {module} ended with {done.returncode}: {end}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
