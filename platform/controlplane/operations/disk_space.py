"""Free space of the directories in use, and an alarm before one of their disks is full."""

import logging
import os
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints, outbox

PREFIX = "disks of "
MEGABYTE = 1 << 20
MARGIN = 1.1
"""An alarm ends at this multiple of the threshold, so that single log lines do not toggle it."""

FEWEST_INODES = 1000
"""Number of free inodes below which a disk counts as full, regardless of its free bytes."""

REFRESH = timedelta(minutes=1)
STALE = timedelta(minutes=5)
"""Age at which another machine's report is ignored, because its worker has stopped."""

_NAME_LENGTH = 64
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk of some directories: free and total bytes for an ordinary user, free inodes."""

    directories: tuple[str, ...]
    path: Path
    free: int
    total: int
    inodes: int | None

    @property
    def subject(self) -> str:
        """Description of the disk by the directories on it."""
        return f"disk of {', '.join(self.directories)} ({self.path})"

    def low(self, factor: float = 1.0) -> bool:
        """Whether less than `factor` times the threshold is free, in bytes or inodes."""
        few = self.inodes is not None and self.inodes < FEWEST_INODES * factor
        return few or self.free < settings.ENV.disk_free_megabytes * MEGABYTE * factor

    def __str__(self) -> str:
        least = settings.ENV.disk_free_megabytes
        inodes = "" if self.inodes is None else f", {self.inodes:,} inodes"
        return (
            f"{self.free // MEGABYTE:,} of {self.total // MEGABYTE:,} MiB{inodes} are free; the threshold "
            f"is {least} MiB (TERCAST_DISK_FREE_MEGABYTES). Free some space: a full disk refuses all writes"
        )


@dataclass(frozen=True, slots=True)
class LowDisk:
    """An active alarm: the disk, its figures and the start time."""

    subject: str
    detail: str
    since: str | None


def directories() -> dict[str, Path]:
    """Return the directories that this process and its database write to, by purpose."""
    found = {"state": settings.ENV.state_dir, "telemetry": settings.ENV.telemetry_root}
    if connection.vendor == "sqlite":
        found["database"] = Path(str(connection.settings_dict["NAME"])).parent
    if settings.ENV.log_dir is not None:
        found["logs"] = settings.ENV.log_dir
    found["temporary files"] = Path(tempfile.gettempdir())
    return found


def disks() -> list[Disk]:
    """Return one row for each disk that holds some of the directories."""
    by_device: dict[int, tuple[list[str], Path]] = {}
    for name, path in directories().items():
        there = existing(path)
        names, _ = by_device.setdefault(there.stat().st_dev, ([], there))
        names.append(name)
    return [_measured(tuple(names), path) for names, path in by_device.values()]


def record() -> None:
    """Store which disks of this machine are low; raise an alarm at the start and at the end.

    If the database cannot be written, this logs a warning. `measure_low_disks` measures again for each
    reader.
    """
    try:
        _record()
    except (DatabaseError, OSError, MemoryError) as error:
        logger.warning("cannot record the free space of disks: %s", error)


def measure_low_disks() -> list[LowDisk]:
    """Return the low disks: this machine's, measured now, and those that others reported."""
    now = timezone.now()
    kept = checkpoints.recall_all(PREFIX)
    own = kept.pop(_row_name(), {})
    since = own if isinstance(own, dict) else {}
    found = [LowDisk(disk.subject, str(disk), _since(since, disk.subject)) for disk in disks() if disk.low()]
    for name, rows in kept.items():
        for subject, row in rows.items() if isinstance(rows, dict) else ():
            if now - _time(row, "seen") < STALE:
                host = name.removeprefix(PREFIX)
                found.append(LowDisk(f"{host}: {subject}", str(row.get("detail", "")), row.get("since")))
    return found


def _record() -> None:
    name, now = _row_name(), timezone.now()
    before: dict[str, Any] = checkpoints.recall_or_default(name, {})
    low = {disk.subject: str(disk) for disk in disks() if disk.low(MARGIN if disk.subject in before else 1.0)}
    recent = all(now - _time(row, "seen") < REFRESH for row in before.values())
    if before.keys() == low.keys() and recent:
        return
    with transaction.atomic():
        before = checkpoints.hold_or_default(name, {})
        at = now.isoformat()
        after = {
            subject: {"detail": detail, "since": _since(before, subject) or at, "seen": at}
            for subject, detail in low.items()
        }
        checkpoints.store(name, after)
        for subject in sorted(low.keys() - before.keys()):
            outbox.alarm(f"{subject} is nearly full: {low[subject]}")
        for subject in sorted(before.keys() - low.keys()):
            outbox.alarm(f"{subject} has enough free space again")


def _measured(names: tuple[str, ...], path: Path) -> Disk:
    found = os.statvfs(path)
    inodes = found.f_favail if found.f_files else None  # some file systems have no fixed number of inodes
    return Disk(names, path, found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize, inodes)


def existing(path: Path) -> Path:
    """Return the path, or its nearest parent that exists."""
    return next(each for each in (path, *path.parents) if each.exists())


def _row_name() -> str:
    return (PREFIX + socket.gethostname())[:_NAME_LENGTH]


def _since(rows: Mapping[str, Any], subject: str) -> str | None:
    row = rows.get(subject)
    since = row.get("since") if isinstance(row, dict) else None
    return since if isinstance(since, str) else None


def _time(row: Any, field: str) -> Any:
    text = row.get(field) if isinstance(row, dict) else None
    return checkpoints.read_time(text) or timezone.now() - timedelta(days=365)
