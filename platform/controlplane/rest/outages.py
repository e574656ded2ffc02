"""Errors of database, disk, memory and file descriptors, as answers that name cause and remedy."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, connection

from controlplane.common.problems import Problem


@dataclass(frozen=True, slots=True)
class OutageAnswer:
    """What a call lacks now: HTTP status and code, cause, remedy, and seconds until a retry."""

    status: HTTPStatus
    code: str
    cause: str
    remedy: str
    retry_seconds: int

    @property
    def detail(self) -> str:
        """Cause and remedy in one text."""
        return f"{self.cause} {self.remedy}"

    def problem(self) -> Problem:
        """The problem answer, with `Retry-After`."""
        headers = {"Retry-After": str(self.retry_seconds)}
        return Problem(self.status, self.code, self.detail, headers=headers)


_UNAVAILABLE = HTTPStatus.SERVICE_UNAVAILABLE
FULL = OutageAnswer(
    HTTPStatus.INSUFFICIENT_STORAGE,
    "disk_full",
    "The server's disk is full, so nothing was stored.",
    "Free disk space at the server, then send the call again; no restart is needed.",
    30,
)
READ_ONLY = OutageAnswer(
    _UNAVAILABLE,
    "read_only",
    "The server's database is read-only, so nothing was stored.",
    "Make the database and its directory writable for the server, then send the call again.",
    30,
)
FAULTY = OutageAnswer(
    _UNAVAILABLE,
    "storage_fault",
    "The server's disk reports an I/O error, so nothing was stored.",
    "Check the disk and its free space (the kernel's log names the device), then send the call again.",
    30,
)
LOCKED = OutageAnswer(
    _UNAVAILABLE,
    "busy",
    "Another process holds a lock in the database, so nothing was stored.",
    "Send the call again; if this lasts, find the process that keeps a transaction open.",
    2,
)
AWAY = OutageAnswer(
    _UNAVAILABLE, "busy", "The database is busy or away.", "Send the call again in a second.", 1
)
DESCRIPTORS = OutageAnswer(
    _UNAVAILABLE,
    "no_descriptors",
    "The server has no free file descriptor or cannot open its database.",
    "Send the call again. If this lasts, raise the limit of open files (`ulimit -n`, LimitNOFILE), and check "
    "that the database file is readable.",
    5,
)
MEMORY = OutageAnswer(
    _UNAVAILABLE,
    "no_memory",
    "The server has no memory left for this call, so nothing was stored.",
    "Send the call again, in smaller parts if it is large. If this lasts, give the server more memory.",
    10,
)

LEAST_BYTES = 64 * 1024
"""Below this SQLite cannot create the shared memory of its write-ahead log (32 KiB) and a page of it."""

_SQLITE = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAULTY,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CANTOPEN: DESCRIPTORS,
    sqlite3.SQLITE_NOMEM: MEMORY,
}
_POSTGRESQL = {
    "53100": FULL,
    "25006": READ_ONLY,
    "58030": FAULTY,
    "53200": MEMORY,
    "55P03": LOCKED,
}
_SYSTEM = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EIO: FAULTY,
    errno.EMFILE: DESCRIPTORS,
    errno.ENFILE: DESCRIPTORS,
    errno.ENOMEM: MEMORY,
}


def outage_of(error: BaseException) -> OutageAnswer | None:
    """The outage behind `error`; None if it has another cause.

    A database error counts by the driver's code, which its `__cause__` has. SQLite has no code for a lock
    that Django reports by words alone; PostgreSQL's other operational errors are a server that is away.
    """
    for one in _chain(error):
        found = _direct(one)
        if found is not None:
            return found
    if isinstance(error, OperationalError | InterfaceError):
        if type(error.__cause__).__module__.startswith("psycopg"):
            return AWAY
        if "locked" in str(error):
            return LOCKED
    return None


def _direct(error: BaseException) -> OutageAnswer | None:
    match error:
        case MemoryError():
            return MEMORY
        case sqlite3.Error():
            found = _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
            return FULL if found in (FAULTY, DESCRIPTORS) and _is_full() else found
        case OSError():
            return _SYSTEM.get(error.errno or 0)
        case _:
            return _POSTGRESQL.get(str(getattr(error, "sqlstate", "")))


def _is_full() -> bool:
    """Whether SQLite's disk is full: it reports an I/O error for a file that it cannot extend."""
    try:
        found = os.statvfs(Path(str(connection.settings_dict["NAME"])).parent)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < LEAST_BYTES


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and for a database error the driver's behind it."""
    yield error
    if isinstance(error, DatabaseError) and error.__cause__ is not None:
        yield error.__cause__
