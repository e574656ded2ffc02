"""The two daemons of a fabric, as child processes that end with their owner."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mininet_labs.fabric.binaries import Binaries
from mininet_labs.fabric.cleanup import PATIENCE, ProcessRecord
from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.rundir import RunDir

PR_SET_PDEATHSIG = 1
POLL = 0.005
TAIL = 3
LOGGING = ("-vconsole:info", "-vsyslog:off", "-vfile:off")  # the console output goes to the log file


class Daemon:
    """A child process, its log, and the record by which a later start recognizes it."""

    def __init__(
        self, name: str, argv: Sequence[str], run_dir: RunDir, environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self._argv = tuple(argv)
        self._run_dir = run_dir
        self._environment = dict(environment)
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id; None if it was not started or was stopped."""
        return None if self._child is None else self._child.pid

    def start(self) -> None:
        """Start the process.

        Raises:
            FabricError: It cannot be executed.
        """
        self._child = _in_lasting_thread(self._spawn)
        ProcessRecord.of(self._child.pid, self._argv).write(self._run_dir.process(self.name))

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._child is not None and self._child.poll() is None

    def stop(self) -> None:
        """Stop the process: SIGTERM first, SIGKILL later; no error if it has already ended."""
        if self._child is None:
            return
        self._child.terminate()
        try:
            self._child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._child = None

    def last_words(self) -> str:
        """Return the last lines of its log, in one line."""
        try:
            lines = self._run_dir.log(self.name).read_text("utf-8", "replace").splitlines()
        except FileNotFoundError:
            return "no log"
        return " / ".join(lines[-TAIL:]) or "an empty log"

    def ended(self) -> FabricError:
        """Return an error that reports the end of the process."""
        status = None if self._child is None else self._child.poll()
        return FabricError(
            self.name, f"ended with status {status} ({self.last_words()})", "stop and start again"
        )

    def _spawn(self) -> subprocess.Popen[bytes]:
        parent = os.getpid()
        prctl = _prctl()

        def die_with_parent() -> None:
            prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
            if os.getppid() != parent:  # the parent died before the call of prctl
                os._exit(1)

        with self._run_dir.log(self.name).open("ab") as log:
            # A separate session: Ctrl-C in the terminal reaches only the owner, which stops them in order.
            return subprocess.Popen(
                self._argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - two system calls without allocations or locks
            )


class SwitchDaemons:
    """A private ovsdb-server and ovs-vswitchd in a run directory."""

    def __init__(self, binaries: Binaries, run_dir: RunDir, environment: Mapping[str, str]) -> None:
        self._binaries = binaries
        self._run_dir = run_dir
        self._environment = environment
        self.database = self._daemon(
            "ovsdb-server",
            [binaries.ovsdb_server, run_dir.database, f"--remote=punix:{run_dir.socket('db.sock')}"],
        )
        self.switch = self._daemon(
            "ovs-vswitchd",
            [binaries.ovs_vswitchd, database_target(run_dir), "--enable-dummy=override", "--disable-system"],
        )

    def start_database(self, timeout: float) -> None:
        """Create an empty database and serve it; return when it accepts connections."""
        tool, schema = self._binaries.ovsdb_tool, self._binaries.schema
        command: list[str | Path] = [tool, "create", self._run_dir.database, schema]
        made = subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            rule = f"ovsdb-tool could not create the database ({made.stderr.strip()})"
            raise FabricError(self._run_dir.database, rule, "check the folder's permissions and free space")
        self.database.start()
        self._await_socket(self.database, self._run_dir.socket("db.sock"), timeout)

    def start_switch(self, timeout: float) -> None:
        """Start ovs-vswitchd; return when it answers on its control socket."""
        self.switch.start()
        self._await_socket(self.switch, control_socket(self._run_dir, "ovs-vswitchd"), timeout)

    def stop(self) -> None:
        """Stop both daemons, the switch first."""
        self.switch.stop()
        self.database.stop()

    def alive(self) -> bool:
        """Whether both daemons run."""
        return self.database.alive() and self.switch.alive()

    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the started daemons."""
        return tuple(d.pid for d in (self.database, self.switch) if d.pid is not None)

    def wait(self, timeout: float | None) -> bool:
        """Whether a daemon ended within `timeout` seconds (None: no limit)."""
        poller = select.poll()
        with contextlib.ExitStack() as handles:
            for pid in self.pids():
                handle = os.pidfd_open(pid)
                handles.callback(os.close, handle)
                poller.register(handle, select.POLLIN)
            return bool(poller.poll(None if timeout is None else timeout * 1000))

    def check(self) -> None:
        """Check that both daemons run.

        Raises:
            FabricError: A daemon has ended; the error has the last lines of its log.
        """
        for daemon in (self.database, self.switch):
            if not daemon.alive():
                raise daemon.ended()

    def _daemon(self, name: str, argv: Sequence[str | Path]) -> Daemon:
        control = f"--unixctl={control_socket(self._run_dir, name)}"
        return Daemon(name, [*map(str, argv), control, *LOGGING], self._run_dir, self._environment)

    def _await_socket(self, daemon: Daemon, path: Path, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not _connectable(path):
            if not daemon.alive():
                raise daemon.ended()
            if time.monotonic() > deadline:
                rule = f"not ready after {timeout:g} s ({daemon.last_words()})"
                raise FabricError(daemon.name, rule, "use a longer timeout on a loaded machine")
            time.sleep(POLL)


def control_socket(run_dir: RunDir, daemon: str) -> Path:
    """Return the socket on which `ovs-appctl` reaches a daemon."""
    return run_dir.socket(f"{daemon}.ctl")


def database_target(run_dir: RunDir) -> str:
    """Return the name of the database for its clients."""
    return f"unix:{run_dir.socket('db.sock')}"


def _connectable(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True


@functools.cache
def _prctl() -> Callable[..., int]:
    # Loaded before the fork, because nothing may be loaded between fork and exec.
    prctl: Callable[..., int] = ctypes.CDLL(None, use_errno=True).prctl
    return prctl


def _in_lasting_thread(spawn: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Run `spawn` in a thread that ends with the process.

    The kernel sends the death signal when the *thread* that forked ends. So a short-lived thread would end
    the daemons.
    """
    if threading.current_thread() is threading.main_thread():
        return spawn()
    return _lasting_thread(os.getpid()).submit(spawn).result()


@functools.cache
def _lasting_thread(_process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="fabric-daemons")
