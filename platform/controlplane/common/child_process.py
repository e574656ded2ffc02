"""Child processes of the control plane; each ends with the process that started it."""

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
"""The folder of this package: `platform` of a source tree, or `site-packages`."""

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)

logger = logging.getLogger(__name__)


def environment() -> dict[str, str]:
    """Return this process's environment, extended so that own packages can be imported.

    A child inherits the working directory too, so a relative path in a setting means the same in both.
    """
    folders = [str(PACKAGES)]
    if (PACKAGES.parent / "manage.py").is_file():  # some packages of a source tree are one folder up
        folders.append(str(PACKAGES.parent))
    path = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "controlplane.config.settings")
    return {**os.environ, "PYTHONPATH": path, "DJANGO_SETTINGS_MODULE": settings}


def _die_with_parent() -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A started process; `group` is whether it leads a process group with all its children."""

    process: subprocess.Popen[bytes]
    group: bool = False

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self.process.pid

    @property
    def status(self) -> int | None:
        """Exit status, negative for a signal; None while the process runs."""
        return self.process.poll()

    def kill(self) -> None:
        """Kill the process, or its whole group, and wait for its end."""
        self._send(signal.SIGKILL)
        self.process.wait()

    def end(self, grace: float) -> None:
        """Ask the process or its group to end; kill what is left after `grace` seconds."""
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
        group: Whether it gets its own session and process group, which end together.
        nice: Decrease of its priority relative to this process.
        folder: Its working directory; None for that of this process.
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
    """Return the last bytes of a log, at most `most`, without characters that databases refuse."""
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - most))
        return whole_characters(file.read()).replace("\0", "")
    return ""


def signal_name(status: int | None) -> str | None:
    """Return the name of the signal that ended a process, from its status; None if none did."""
    if status is None or status >= 0:
        return None
    return signal.Signals(-status).name if -status in set(signal.Signals) else "?"


class BackgroundCommand:
    """A `manage.py` command as a child process, one at a time, checked by `is_running`.

    Args:
        ended: Called with the command and the exit status after the end of a process.
        seconds: Time limit after which a process is killed; None for no limit.
    """

    def __init__(self, ended: Callable[[str, int], None], seconds: float | None = None) -> None:
        self._ended, self._seconds = ended, seconds
        self._child: ChildProcess | None = None
        self._command, self._since = "", 0.0

    @property
    def pid(self) -> int | None:
        """Id of the process; None without one."""
        return None if self._child is None else self._child.pid

    def is_running(self) -> bool:
        """Whether a process runs; kills one beyond the time limit, and reports one that has ended."""
        if self._child is None:
            return False
        if self._child.status is None:
            if self._seconds is None or time.monotonic() - self._since < self._seconds:
                return True
            logger.error(
                "process %d with %s exceeds its time limit and is killed", self._child.pid, self._command
            )
            self._child.kill()
        status, self._child = self._child.status, None
        assert status is not None
        self._ended(self._command, status)
        return False

    def start(self, command: str) -> None:
        """Start the command; call this only while none runs."""
        self._child = start([sys.executable, "-m", "django", command])
        self._command, self._since = f"manage.py {command}", time.monotonic()


def ask_child(
    module: str, question: bytes, seconds: float, late: str, killed: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the JSON object that `python -m module` writes as its answer to `question`.

    Args:
        module: The module to run; it answers with `controlplane.common.bounded_answer`.
        question: Its standard input.
        seconds: Time limit.
        late: Text of the error after the time limit, for the caller.
        killed: Text by signal number, for an answer `{"failed": ...}` if that signal ended the process.

    Raises:
        Problem: The time limit is exceeded (503).
        RuntimeError: The process failed; the text has the last line of its errors.
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
