"""Removal of the daemons and files of an earlier fabric, for example after `kill -9`.

The record of a daemon contains its process id, its start time in the kernel, and its command line. A process
is stopped only if all three still match and the command line names a file of the run directory.
"""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mininet_labs.fabric.errors import FabricError
from mininet_labs.fabric.rundir import DAEMONS, RunDir

PATIENCE = 2.0
"""Seconds that a daemon gets to stop after SIGTERM."""


@dataclass(frozen=True, slots=True)
class ProcessRecord:
    """Identity of a process, which no other process can have."""

    pid: int
    start_time: int
    argv: tuple[str, ...]

    @classmethod
    def of(cls, pid: int, argv: Sequence[str]) -> ProcessRecord:
        """Return the record of a running child that was started with `argv`."""
        return cls(pid, start_time(pid) or 0, tuple(argv))

    @classmethod
    def read(cls, path: Path) -> ProcessRecord | None:
        """Return the record in a file; None if the file is missing or incomplete."""
        try:
            held = json.loads(path.read_text("utf-8"))
            return cls(int(held["pid"]), int(held["start_time"]), tuple(map(str, held["argv"])))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Store the record."""
        held = {"pid": self.pid, "start_time": self.start_time, "argv": self.argv}
        path.write_text(json.dumps(held), "utf-8")

    def runs(self) -> bool:
        """Whether this process still runs."""
        return start_time(self.pid) == self.start_time and command_line(self.pid) == self.argv


def clean_up(run_dir: RunDir) -> list[int]:
    """Stop the daemons that an earlier fabric left in `run_dir`, and remove its files.

    Returns:
        The ids of the stopped processes.
    """
    ended = []
    for daemon in DAEMONS:
        record = ProcessRecord.read(run_dir.process(daemon))
        if record is not None and _belongs(record, run_dir) and record.runs():
            end_process(record)
            ended.append(record.pid)
    run_dir.remove()
    return ended


def end_process(record: ProcessRecord, patience: float = PATIENCE) -> None:
    """Stop a process that is not a child of this one: SIGTERM, a pause, then SIGKILL."""
    try:
        handle = os.pidfd_open(record.pid)
    except ProcessLookupError:
        return
    try:
        # The handle belongs to the process that has the id now, so compare again before a signal is sent.
        for signum in (signal.SIGTERM, signal.SIGKILL):
            if not record.runs():
                return
            signal.pidfd_send_signal(handle, signum)
            if _ended(handle, patience):
                return
    except ProcessLookupError:
        return
    finally:
        os.close(handle)
    raise FabricError(f"process {record.pid}", "still runs after SIGKILL", "look at it with `ps`")


def start_time(pid: int) -> int | None:
    """Return the start time of a process, in clock ticks after boot; None if it does not exist."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The second field is the name in brackets, which may itself contain blanks and brackets.
    fields = stat[stat.rindex(")") + 2 :].split()
    return int(fields[19])


def command_line(pid: int) -> tuple[str, ...]:
    """Return the arguments of a process; empty if it does not exist or is a zombie."""
    try:
        raw = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return ()
    return tuple(os.fsdecode(part) for part in raw.split(b"\0")[:-1])


def _belongs(record: ProcessRecord, run_dir: RunDir) -> bool:
    folders = [run_dir.path, run_dir.leftover_sockets()]
    marks = [str(folder) + "/" for folder in folders if folder is not None]
    program = Path(record.argv[0]).name if record.argv else ""
    return program in DAEMONS and any(mark in argument for argument in record.argv for mark in marks)


def _ended(handle: int, timeout: float) -> bool:
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    return bool(poller.poll(timeout * 1000))
